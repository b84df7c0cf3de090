// Requests that carry an idempotency key. The batch of each change also records the change, so that it is remembered exactly if it
// was made. The answer is stored afterwards. Both are kept for a day.

import { impliedScopes, type KeyScope } from '../domain/access/key-scopes.ts';
import { createTokenBuckets } from '../domain/concurrency/token-buckets.ts';
import { SallyportError } from '../domain/errors.ts';
import { keyInUse, keyReused } from '../domain/values/idempotency-errors.ts';
import { isDuplicate } from './errors.ts';
import type { Identity } from './keys/credentials.ts';
import { ownerOf, type Secrets } from './keys/secrets.ts';
import type { Changes, Write } from './objects/changes.ts';
import type { ServerScope } from './objects/server-scope.ts';
import type { Dialect } from './sql/dialect.ts';
import { sql, statementOf } from './sql/statement.ts';

/** How long a request is remembered, in milliseconds: a day. */
export const rememberedMs = 86_400_000;
/** Largest answer that is kept, in bytes. A larger one is built again from what its request has changed. */
const keptAnswerBytesMax = 65_536;
/** The unit in which answers are counted, in bytes. The smallest answer counts as one unit, because its row takes as much. */
const answerUnitBytes = 1_024;
/**
 * How much is kept of the answers of an account, or of a host without a key, in those units: 16 MiB at once, then one unit a
 * second, which is at most 101 MiB a day. Nothing else bounds them: an answer may report no change and hold as much as its document
 * asks for.
 */
const keptAnswers = { size: 16_384, everyMs: 1_000, bucketsMax: 10_000, beyondMax: 'nothing' } as const;

export interface KeyedRequest {
  readonly identity: Identity;
  /** SHA-256 of the key. */
  readonly keyHash: string;
  /** SHA-256 of what the request asks for. */
  readonly requestHash: string;
}

export interface KeptAnswer {
  readonly status: number;
  /** The headers that belong to the answer rather than the request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Null if there is none. */
  readonly body: string | null;
}

export interface MadeChange {
  /** The id of the object that was changed. */
  readonly id: string;
  /** What its answer needs besides the object (see `WriteOptions.remembered`). */
  readonly remembered: object;
}

/** A request with a key, while it is being answered. */
export interface IdempotentRequest {
  /** The answer that was given before; null if none is known. */
  readonly answer: KeptAnswer | null;
  /** Whether part of the answer is that of a change made by an earlier request. */
  readonly repeats: boolean;
  /** Whether the answer reports a change, by this request or an earlier one. */
  readonly hasChanged: boolean;
  /** Why this request must not be answered: another server is carrying out a request with the same key. Null if none is known. */
  readonly conflict: SallyportError | null;
  /**
   * Begins the change of a mutation, by its name in the response. Returns the change that it made before, which must not be made
   * again; null if there is none.
   *
   * @throws `conflict`
   */
  begin(responseName: string): MadeChange | null;
  /**
   * Returns the error to fail with instead of that of the latest change, which may have failed because another server made it
   * first.
   */
  whyFailed(error: unknown): Promise<unknown>;
  /** Returns the write that records the change begun last, to be stored as a part of it. */
  remember(change: MadeChange): Write;
  /** Notes that the change is stored whose record `remember` has written. */
  noteChange(): void;
  /**
   * Stores the answer for repetitions of the request, unless it is too large or too much is stored for the account. Returns the
   * answer that repetitions will get.
   */
  keep(answer: KeptAnswer): Promise<KeptAnswer>;
}

/** The memory of requests with keys. */
export interface Idempotency {
  /**
   * Finds what is known of a request.
   *
   * @throws IDEMPOTENCY_KEY_REUSED if the key came with another request; FORBIDDEN if the answer was given to an API key that may
   *   do more than this one, or for longer
   */
  open(request: KeyedRequest): Promise<IdempotentRequest>;
}

/** The sealed content of a row, with the rights of the API key that it belongs to, because it may hold the token of another key. */
interface Content {
  readonly scopes: readonly KeyScope[];
  /** In milliseconds since 1970; null if the key never expires. */
  readonly expiresAtMs: number | null;
  readonly value: object;
}

/** A row of `IdempotencyRecord`. */
interface Remembered {
  readonly responseName: string;
  readonly createdAt: Date;
  readonly objectId: string | null;
  /** Null if there is none, or if it is sealed under another secret key. */
  readonly content: Content | null;
}

/** The response name that stands for the whole answer. No field has this name. */
const nameOfAnswer = '';

/**
 * Creates the memory of requests. Its rows are not objects: clients and the trail do not know them.
 *
 * @param now determines how long ago a request was
 * @param monotonicMs a clock that nobody sets, to limit how much is kept
 */
export function createIdempotency(
  server: ServerScope,
  dialect: Dialect,
  changes: Changes,
  secrets: Secrets,
  now: () => Date,
  monotonicMs: () => number,
): Idempotency {
  const room = createTokenBuckets(keptAnswers);
  // Anybody with an API key can have any number of answers sealed, so they are not sealed under the key that seals private keys.
  const sealing = secrets.derive('idempotent requests');
  const ownerOfRow = ({ identity: { accountId }, keyHash }: KeyedRequest, responseName: string) =>
    ownerOf('IdempotencyRecord', `${accountId} ${keyHash} ${responseName}`);

  const insert = (request: KeyedRequest, { responseName, createdAt, objectId, content }: Remembered): Write => {
    const { identity, keyHash, requestHash } = request;
    const sealed =
      content === null ? null : sealing.seal(Buffer.from(JSON.stringify(content)), ownerOfRow(request, responseName));
    const statement = sql`INSERT INTO "IdempotencyRecord"
      ("accountId", "keyHash", "responseName", "requestHash", "createdAt", "objectId", "content")
      VALUES (${identity.accountId}, ${keyHash}, ${responseName}, ${requestHash}, ${createdAt}, ${objectId}, ${sealed}) RETURNING "responseName"`;
    return { statement: statementOf(dialect, statement), read: () => ({}) };
  };

  const openContent = (request: KeyedRequest, responseName: string, sealed: unknown): Content | null => {
    if (sealed === null) return null;
    try {
      const text = sealing.open(dialect.decode.Bytes(sealed), ownerOfRow(request, responseName)).toString();
      // Only `insert` has written it, and nobody else could have sealed it.
      return JSON.parse(text) as Content;
    } catch (error) {
      if (error instanceof SallyportError) throw error;
      // Sealed under an earlier secret key.
      return null;
    }
  };

  const find = async (request: KeyedRequest): Promise<Remembered[]> => {
    const { identity, keyHash, requestHash } = request;
    const ofKey = sql`"accountId" = ${identity.accountId} AND "keyHash" = ${keyHash}`;
    const rows = await server.rows(
      sql`SELECT "responseName", "requestHash", "createdAt", "objectId", "content" FROM "IdempotencyRecord" WHERE ${ofKey}`,
    );
    if (rows.length === 0) return [];
    const end = new Date(now().getTime() - rememberedMs);
    const records: Remembered[] = [];
    for (const [responseName, hash, time, objectId, sealed] of rows) {
      const createdAt = dialect.decode.DateTime(time);
      if (createdAt <= end) continue;
      if (hash !== requestHash) throw keyReused();
      const content = openContent(request, String(responseName), sealed);
      if (content !== null && !mayAsMuch(identity, content)) throw stronger();
      const id = objectId === null ? null : String(objectId);
      records.push({ responseName: String(responseName), createdAt, objectId: id, content });
    }
    // Some have expired, but upkeep has not removed them yet, and their names are needed.
    if (records.length < rows.length) {
      await server.change(sql`DELETE FROM "IdempotencyRecord" WHERE ${ofKey} AND "createdAt" <= ${end}`);
    }
    return records;
  };

  return {
    async open(request) {
      const records = await find(request);
      // All records of a key are forgotten at the same time.
      const createdAt = records[0]?.createdAt ?? now();
      const { scopes, expiresAt } = request.identity;
      const contentOf = (value: object): Content => ({ scopes, expiresAtMs: expiresAt?.getTime() ?? null, value });
      const madeBefore = new Map(
        records.flatMap(({ responseName, objectId, content }) =>
          objectId === null ? [] : [[responseName, { id: objectId, remembered: content?.value ?? {} }] as const],
        ),
      );
      let current = nameOfAnswer;
      let repeats = false;
      let hasChanged = false;
      let conflict: SallyportError | null = null;
      return {
        answer: answerAmong(records),
        get repeats() {
          return repeats;
        },
        get hasChanged() {
          return hasChanged || repeats;
        },
        get conflict() {
          return conflict;
        },

        begin(responseName) {
          if (conflict !== null) throw conflict;
          current = responseName;
          const made = madeBefore.get(responseName) ?? null;
          if (made !== null) repeats = true;
          return made;
        },

        async whyFailed(error) {
          if (error instanceof SallyportError && error.code === 'UNAVAILABLE') return error;
          try {
            if ((await find(request)).some(({ responseName }) => responseName === current)) conflict = keyInUse();
          } catch (refusal) {
            if (!(refusal instanceof SallyportError)) throw refusal;
            conflict = refusal;
          }
          return conflict ?? error;
        },

        remember({ id, remembered }) {
          const content = Object.keys(remembered).length === 0 ? null : contentOf(remembered);
          return insert(request, { responseName: current, createdAt, objectId: id, content });
        },

        noteChange() {
          hasChanged = true;
        },

        async keep(answer) {
          const bytes = Buffer.byteLength(answer.body ?? '');
          const { accountId, actor, isMember } = request.identity;
          // Callers without an API key have their own allowance, apart from the account's.
          const asker = isMember ? accountId : actor;
          if (bytes > keptAnswerBytesMax || !room.has(asker, monotonicMs())) return answer;
          room.take(asker, monotonicMs(), Math.max(1, Math.ceil(bytes / answerUnitBytes)));
          const record = { responseName: nameOfAnswer, createdAt, objectId: null, content: contentOf(answer) };
          try {
            await changes.apply({ write: insert(request, record) });
            return answer;
          } catch (error) {
            if (!isDuplicate(error)) throw error;
            // Another server has answered the same request meanwhile.
            return answerAmong(await find(request)) ?? answer;
          }
        },
      };
    },
  };
}

function answerAmong(records: readonly Remembered[]): KeptAnswer | null {
  const content = records.find(({ responseName }) => responseName === nameOfAnswer)?.content;
  // Safe cast: `keep` stored an answer there.
  return content == null ? null : (content.value as KeptAnswer);
}

/** Returns whether a key may do all that another key might, for at least as long. */
function mayAsMuch({ rights, expiresAt }: Identity, other: Content): boolean {
  if (![...impliedScopes(other.scopes)].every((scope) => rights.has(scope))) return false;
  return expiresAt === null || (other.expiresAtMs !== null && other.expiresAtMs <= expiresAt.getTime());
}

function stronger(): SallyportError {
  return new SallyportError(
    'FORBIDDEN',
    'The answer to this Idempotency-Key was given to an API key that may more, or for longer. Repeat the request with that one.',
  );
}
