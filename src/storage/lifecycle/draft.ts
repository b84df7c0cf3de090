// Drafts: a copy in memory of what an account has configured, in which changes are tried out one by one, by the same functions that
// make them. What differs afterwards is then stored in the account's own database, all of it or nothing (`objects/drafted-changes.ts`).

import { setImmediate as nextTurn } from 'node:timers/promises';
import { areas } from '../../areas/areas.ts';
import type { DecidingSettings } from '../../domain/access/expected.ts';
import type { SigningAgentSetting } from '../../domain/access/signing-agents.ts';
import { createTimedPauses } from '../../domain/concurrency/pauses.ts';
import { SallyportError } from '../../domain/errors.ts';
import type { Engine } from '../engine.ts';
import { getDatamodel } from '../generated/pothos.ts';
import type { KeyMaking } from '../keys/key-generation.ts';
import type { AccountDraft, AccountView } from '../objects/account-scope.ts';
import type { DraftedRow, DraftedTable } from '../sql/drafted.ts';
import { eachPage, insertRows, type Row, type Table, type TableAccess, tables } from '../sql/tables.ts';
import { chooseDraftEngine } from './choose-engine.ts';
import { createRowSerializer } from './table-digest.ts';

/** Most objects and rows of modules that a draft holds, and the bytes of all, which are in memory. */
const draftedRowsMax = 50_000;
const draftedBytesMax = 64 * 2 ** 20;

interface MemoryOptions extends KeyMaking {
  readonly engine: ReturnType<typeof chooseDraftEngine>;
  readonly now: () => Date;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly signingAgents: readonly SigningAgentSetting[];
  readonly deciding: DecidingSettings;
  readonly secretKey: () => Uint8Array;
}

/** The part of a storage that hands out the data of an account. */
interface ActsFor {
  actingFor(accountId: string, ...origin: Parameters<AccountDraft['actingFor']>): ReturnType<AccountDraft['actingFor']>;
}

export interface DraftOptions extends KeyMaking {
  /** Opens a storage (`openStorage`). */
  readonly open: (options: MemoryOptions) => Promise<Pick<AccountDraft, 'close'> & ActsFor>;
  readonly now: () => Date;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly signingAgents: readonly SigningAgentSetting[];
  readonly deciding: DecidingSettings;
  readonly engine: Pick<Engine, 'reading' | 'dialect'>;
  readonly secretKey: Uint8Array;
  readonly accountId: string;
  readonly trailEnd: AccountView['trailEnd'];
  /** The kinds of objects to be changed. */
  readonly kinds: readonly string[];
  /** Fires when the draft is not wanted any more. */
  readonly signal: AbortSignal;
}

const { models } = getDatamodel().datamodel;
const bookkeeping: ReadonlySet<string> = new Set(areas.flatMap((area) => area.bookkeeping ?? []));
const alsoDrafted: ReadonlySet<string> = new Set(areas.flatMap((area) => area.drafted ?? []));
/** What the draft itself keeps of its changes. */
const ofDraft: ReadonlySet<string> = new Set(['AuditEvent', 'IdempotencyRecord', 'ActivityInterval']);

/** A table to be copied, and how its rows are found: by the account, or by the rows that they belong to. */
interface CopiedTable {
  readonly table: Table;
  readonly whole: { readonly model: string; readonly column: string } | null;
}

/** Returns the tables of kinds of objects with those of what belongs to them, in the order of their references. */
function tablesOf(kinds: readonly string[]): CopiedTable[] {
  const copied = new Map<string, CopiedTable>();
  for (const table of tables) {
    const whole = wholeOf(table);
    const isPart =
      whole !== null && copied.has(whole.model) && (alsoDrafted.has(table.name) || !bookkeeping.has(whole.relation));
    if (kinds.includes(table.name) || (whole === null && alsoDrafted.has(table.name)))
      copied.set(table.name, { table, whole: null });
    else if (isPart && !isObject(table)) copied.set(table.name, { table, whole });
  }
  return [...copied.values()];
}

/** Returns what the rows of a table belong to, if the key begins with that: the model, the column, and the opposite relation. */
function wholeOf(table: Table) {
  const [first] = table.key;
  const column = first === undefined ? undefined : table.columns[first]?.name;
  const field = models[table.name]?.fields.find(({ relationFromFields }) => relationFromFields?.[0] === column);
  if (column === undefined || field === undefined) return null;
  const opposite = models[field.type]?.fields.find(
    ({ relationName, relationFromFields }) =>
      relationName === field.relationName && (relationFromFields ?? []).length === 0,
  );
  return { model: field.type, column, relation: `${field.type}.${opposite?.name ?? ''}` };
}

function isObject({ columns }: Table): boolean {
  return ['id', 'version', 'createdAt'].every((name) => columns.some((column) => column.name === name));
}

/** Rows whose parts are read by one statement. */
const wholesAtOnce = 200;

/**
 * Opens a draft of an account: as the account is at one moment.
 *
 * @throws QUERY_TOO_COMPLEX if the account has more than a draft can hold; the reason of the signal
 */
export async function openDraft(options: DraftOptions): Promise<AccountDraft> {
  const { engine, secretKey, accountId, kinds, signal, now, randomBytes, makePrivateKey, signingAgents, deciding } =
    options;
  const before = new Map<string, ReadonlyMap<string, DraftedRow>>();
  await engine.reading(async (database) => {
    const size = { rows: 0, bytes: 0, signal };
    const access = { database, dialect: engine.dialect };
    for (const { table, whole } of tablesOf(kinds)) {
      const rows = new Map<string, DraftedRow>();
      const wholes = whole === null ? [] : [...(before.get(whole.model)?.keys() ?? [])];
      if (whole === null) await readInto(rows, access, table, { column: 'accountId', values: [accountId] }, size);
      for (let start = 0; whole !== null && start < wholes.length; start += wholesAtOnce) {
        const values = wholes.slice(start, start + wholesAtOnce);
        await readInto(rows, access, table, { column: whole.column, values }, size);
      }
      before.set(table.name, rows);
    }
  });
  const opened = memoryEngine.open({});
  const { connection } = await opened;
  const memory = { database: connection, dialect: memoryDialect };
  const storage = await options.open({
    engine: { ...memoryEngine, open: () => opened },
    now,
    randomBytes,
    makePrivateKey,
    signingAgents,
    deciding,
    secretKey: () => secretKey,
  });
  try {
    const account = tables.find(({ name }) => name === 'Account');
    if (account === undefined) throw new Error('There is no table of accounts.');
    const pauses = createTimedPauses();
    const values: Readonly<Record<string, unknown>> = { id: accountId, name: accountId, createdAt: now() };
    await insertRows(memory, account, [account.columns.map(({ name }) => values[name])]);
    for (const { table } of tablesOf(kinds)) {
      const rows = [...(before.get(table.name)?.values() ?? [])].map(({ row }) => row);
      for (let start = 0; start < rows.length; start += rowsOfTurn) {
        await insertRows(memory, table, rows.slice(start, start + rowsOfTurn));
        if (pauses.due()) await nextTurn();
        signal.throwIfAborted();
      }
    }
  } catch (error) {
    await storage.close();
    throw error;
  }
  return {
    // The trail of the draft is not that of the account, in which whatever follows it from now on has its place.
    actingFor: (origin) => ({ ...storage.actingFor(accountId, origin), trailEnd: options.trailEnd }),
    async differences() {
      const found: DraftedTable[] = [];
      for (const table of tables) {
        if (ofDraft.has(table.name) || !table.columns.some(({ name }) => name === 'accountId')) continue;
        const after = new Map<string, DraftedRow>();
        await readInto(after, memory, table, null, { rows: 0, bytes: 0, signal });
        const isCopied = before.has(table.name);
        found.push({ table, before: before.get(table.name) ?? new Map(), after, isCopied });
      }
      const { rows } = await connection.queryRaw({
        sql: 'SELECT "kind", "objectId", "version" FROM "AuditEvent" ORDER BY "commitOrder", "id"',
        args: [],
        argTypes: [],
      });
      const events = rows.map(([kind, id, version]) => {
        return { kind: String(kind), objectId: String(id), version: Number(version) };
      });
      return { tables: found, events };
    },
    close: () => storage.close(),
  };
}

const memoryEngine = chooseDraftEngine();
const memoryDialect = memoryEngine.dialect;

/** Rows that are stored in memory in one turn of the event loop: some 2 ms. */
const rowsOfTurn = 128;

/** Reads rows of a table, page by page. Throws QUERY_TOO_COMPLEX if all together are too many, and the reason of the signal. */
async function readInto(
  rows: Map<string, DraftedRow>,
  access: TableAccess,
  table: Table,
  only: Parameters<typeof eachPage>[3],
  size: { rows: number; bytes: number; readonly signal: AbortSignal },
): Promise<void> {
  const serialize = createRowSerializer(table);
  const pauses = createTimedPauses();
  await eachPage(
    access,
    table,
    async (page) => {
      let bytes = 0;
      for (const row of page) {
        const text = serialize(row);
        bytes += text.length;
        rows.set(keyOf(table, row), { row, text });
      }
      size.rows += page.length;
      size.bytes += bytes;
      if (size.rows > draftedRowsMax || size.bytes > draftedBytesMax) {
        throw new SallyportError(
          'QUERY_TOO_COMPLEX',
          `The account has more than ${draftedRowsMax} objects, or ${draftedBytesMax} bytes of them: more than a document can describe.`,
        );
      }
      if (pauses.due()) await nextTurn();
      size.signal.throwIfAborted();
      return bytes;
    },
    only,
  );
}

/** Returns the key of a row as text: the id of an object, or that of what it belongs to. */
function keyOf({ key }: Table, row: Row): string {
  return key.map((index) => String(row[index])).join(' ');
}
