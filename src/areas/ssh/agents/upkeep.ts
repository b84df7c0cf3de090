// What `doctor` finds out about the agents that sign: each signs something with the keys of the authorities that need it.

import type { SigningAgentSetting } from '../../../domain/access/signing-agents.ts';
import { remedies } from '../../../domain/remedies.ts';
import { called, counted } from '../../../domain/wording.ts';
import type { Check } from '../../../storage/engine.ts';
import { fail, ok, warn } from '../../../storage/lifecycle/health.ts';
import { lookThrough, type ServerReads } from '../../../storage/objects/server-scope.ts';
import { type Sql, sifting, sql } from '../../../storage/sql/statement.ts';
import { type AuthorityKey, outsideAuthorityKey } from '../authorities/authority-key.ts';
import { AgentError, createAgent } from './agent.ts';
import { signWith, trial } from './agent-store.ts';

/** Authorities whose keys are tried; each takes an agent up to 10 seconds. */
const triedMax = 20;
const remedy = 'Start or unlock the agent, or load the key again: docs/key-ceremony.md.';

/** An authority whose key is in an agent. */
interface Outside {
  readonly agent: string;
  /** The id and the name of its account, by which a setting may name it. */
  readonly account: readonly string[];
  /** What messages call it, with its account. */
  readonly title: string;
  readonly publicKey: string;
}

/**
 * Has each agent sign for the authorities that need it, as the server would, one after another. An agent whose operator confirms each
 * signature asks for that.
 */
export async function checkAgents(database: ServerReads, agents: readonly SigningAgentSetting[]): Promise<Check[]> {
  const found = await readOutside(database);
  const isCut = found.length > triedMax;
  const outside = found.slice(0, triedMax);
  const isFor = ({ agent, account }: Outside, setting: SigningAgentSetting) =>
    agent === setting.name && account.includes(setting.account);
  const homeless = outside.filter((authority) => !agents.some((setting) => isFor(authority, setting)));
  return [
    ...(isCut
      ? [
          warn(
            'agents',
            `More than ${triedMax} authorities have their keys in agents: the others were not tried.`,
            'Ask each of these for a certificate.',
          ),
        ]
      : []),
    ...homeless.map(({ agent, title }) =>
      fail(
        'agents',
        `The agent "${agent}", which has the key of ${title}, is not set up here.`,
        `Name it in ${remedies.setSigningAgents}.`,
      ),
    ),
    ...(await Promise.all(
      agents.map((one) =>
        checkAgent(
          one,
          outside.filter((authority) => isFor(authority, one)),
        ),
      ),
    )),
  ];
}

/** Reads the authorities that sign: what has handed over needs its key no more. */
async function readOutside(database: ServerReads): Promise<Outside[]> {
  const found: Outside[] = [];
  const select = (within: (column: string) => Sql) =>
    sql`SELECT c."signingAgent", a."id", a."name", c."id", c."description", c."publicKey"
      FROM "SshCertificateAuthority" c JOIN "Account" a ON a."id" = c."accountId"
      WHERE ${within('c."id"')} AND ${sifting(sql`c."signingAgent" IS NOT NULL AND c."handedOverAt" IS NULL`)}`;
  for await (const rows of lookThrough(database, 'SshCertificateAuthority', select)) {
    for (const row of rows) {
      const [agent = '', accountId = '', name = '', id = '', description = '', publicKey = ''] = row.map(String);
      const title = `the certificate authority ${called({ id, description })} of the account "${name}"`;
      found.push({ agent, account: [accountId, name], title, publicKey });
    }
    if (found.length > triedMax) break;
  }
  return found;
}

/** Checks one agent: that it signs, or, where no authority needs it yet, that it answers. */
async function checkAgent({ name, socket }: SigningAgentSetting, authorities: readonly Outside[]): Promise<Check> {
  const agent = createAgent(socket);
  const signer = { lane: name, sign: (key: AuthorityKey, message: Uint8Array) => signWith(agent, key, message) };
  let of = '';
  try {
    for (const { title, publicKey } of authorities) {
      of = `, which has the key of ${title},`;
      await signer.sign(outsideAuthorityKey(publicKey, signer), trial);
    }
    if (authorities.length > 0)
      return ok(
        'agents',
        `The agent "${name}" signs with the keys that it has for authorities: ${authorities.length}.`,
      );
    const keys = await agent.list();
    return ok('agents', `The agent "${name}" offers ${counted(keys.length, 'key')}, and no authority uses one.`);
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return (of === '' ? warn : fail)('agents', `The agent "${name}"${of} ${error.message}.`, remedy);
  }
}
