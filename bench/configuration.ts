// Measures documents of the configuration as large as they may be, at a running server: planned, applied, changed, and taken back, and how long
// requests of another account take meanwhile.

import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { partsOf } from '../src/areas/configuration/parts-schema.ts';
import { documentObjectsMax } from '../src/areas/configuration/rules.ts';
import { createIpPolicy } from '../src/areas/ip-policies/store.ts';
import { formatToken, tokenBytes } from '../src/domain/access/api-token.ts';
import { hashOf } from '../src/domain/values/hash.ts';
import { chooseEngine } from '../src/storage/lifecycle/choose-engine.ts';
import { openStorage } from '../src/storage/storage.ts';
import { commandLine } from '../src/storage/trail/origin.ts';
import { type Finding, quantile, spreadOf } from './figures.ts';
import type { Measured } from './load.ts';
import { createPostgresPlace, type Place } from './places.ts';
import { type Server, startSallyport } from './servers.ts';
import { makeTemplate, notes } from './template.ts';

const rulesOfPolicy = 9;
const policyCount = documentObjectsMax / (1 + rulesOfPolicy);
/** Pause between two requests of the other account, in milliseconds. */
const pauseMs = 5;

/** The text above the table. */
export const configurationWords = `A document of ${documentObjectsMax} objects, ${policyCount} policies with ${rulesOfPolicy} rules each, at a server with its default settings: planned for an
empty account, applied to it, applied again with other descriptions of all objects, and again as an empty one with \`prune\`, which deletes all of them. Meanwhile another account reads
one object after the other, with a pause of ${pauseMs} ms; the figures are of all its reads during each of the four. The processor time is
that of the server and of PostgreSQL, the reads included: on a machine that does nothing else, a document takes no longer.`;

interface Asked {
  readonly seconds: number;
  /** Processor time of the server meanwhile, and of PostgreSQL. */
  readonly processorSeconds: number;
  /** How long each read of the other account took meanwhile, in milliseconds. */
  readonly readMs: readonly number[];
}

/** Measures both engines. Throws Error if a document is refused. */
export async function measureConfiguration(
  sqlite: Place,
  rounds: number,
  log: (message: string) => void,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  findings.push(...(await measureOn(sqlite, rounds, log)));
  const postgres = await createPostgresPlace(process.env.TEST_DATABASE_URL);
  try {
    findings.push(...(await measureOn(postgres, rounds, log)));
  } finally {
    await postgres.remove();
  }
  return findings;
}

async function measureOn(place: Place, rounds: number, log: (message: string) => void): Promise<Finding[]> {
  const template = await makeTemplate(place, 'configuration', 1);
  const other = await addAccount(template.url, template.secretKey);
  const server = await startSallyport(template.url, template.secretKey);
  const taken = new Map<string, Asked[]>();
  try {
    for (let round = 0; round <= rounds; round += 1) {
      log(`${place.engine}: ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}.`);
      const ask = async (name: string, query: string, input: object) => {
        const asked = await whileReading({ ...server, database: place.database }, other, () =>
          askFor(server, template.token, query, { input }),
        );
        if (round > 0) taken.set(name, [...(taken.get(name) ?? []), asked]);
      };
      await ask(
        'plan',
        'query ($input: PlanConfigurationInput!) { done: planConfiguration(input: $input) { digest } }',
        {
          document: largest,
        },
      );
      await ask('apply', applying, { document: largest });
      await ask('change', applying, { document: changed });
      await ask('deletion', applying, { document: {}, prune: true });
    }
  } finally {
    await server.stop();
  }
  const finding = (what: string, name: string, figureOf: (asked: Asked) => number, atMost: number | null): Finding => ({
    what: `${place.engine}: ${what}`,
    spread: spreadOf((taken.get(name) ?? []).map(figureOf)),
    goal: atMost === null ? null : { atMost },
  });
  const p99 = ({ readMs }: Asked) => quantile(readMs, 0.99);
  const longest = ({ readMs }: Asked) => Math.max(...readMs);
  return (
    [
      ['to plan it', 'plan', 5],
      ['to apply it', 'apply', 20],
      ['to change all of it', 'change', 20],
      ['to delete all of it', 'deletion', 20],
    ] as const
  ).flatMap(([what, name, secondsMax]) => [
    finding(`${what}, in seconds`, name, ({ seconds }) => seconds, null),
    finding('of processor time for that', name, ({ processorSeconds }) => processorSeconds, secondsMax),
    finding(`reads meanwhile, 99th percentile in ms`, name, p99, 250),
    finding(`reads meanwhile, the longest in ms`, name, longest, null),
  ]);
}

const applying =
  'mutation ($input: ApplyConfigurationInput!) { done: applyConfiguration(input: $input) { applied { requestId } } }';

/** Makes a document with as many objects as one may have, in parts as the command line sends it. */
function makeDocument(description: string): unknown {
  const ruleOf = (policy: number) => (_: unknown, rule: number) => ({
    cidr: `10.${policy >> 8}.${policy & 255}.${rule}/32`,
    action: 'allow',
    description,
  });
  const policyOf = (_: unknown, policy: number) => [
    `p${policy}`,
    { description, rules: Array.from({ length: rulesOfPolicy }, ruleOf(policy)) },
  ];
  return partsOf({ ipPolicies: Object.fromEntries(Array.from({ length: policyCount }, policyOf)) });
}

const largest = makeDocument('as it was');
const changed = makeDocument('as it is now');

/** Adds an account with one policy to a database, for reads. */
async function addAccount(url: string, secretKey: string): Promise<{ readonly token: string; readonly id: string }> {
  const storage = await openStorage({
    engine: chooseEngine(url),
    now: () => new Date(),
    randomBytes,
    secretKey: () => Buffer.from(secretKey, 'base64'),
  });
  const token = formatToken(randomBytes(tokenBytes));
  const key = { tokenHash: hashOf(token), description: 'benchmark' };
  const account = await storage.accounts.create('other', commandLine, key);
  const { id } = await createIpPolicy(storage.actingFor(account.id, commandLine), notes);
  await storage.close();
  return { token, id };
}

/** Does work while another account reads. */
async function whileReading(
  server: Measured,
  { token, id }: { readonly token: string; readonly id: string },
  work: () => Promise<void>,
): Promise<Asked> {
  const readMs: number[] = [];
  let isOver = false;
  const reading = (async () => {
    while (!isOver) {
      const begun = performance.now();
      const answer = await fetch(`${server.url}/ip_policies/${id}`, {
        headers: { Authorization: `Bearer ${token}`, 'Service-Version': '2' },
      });
      await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`A read was answered with ${answer.status}.`);
      readMs.push(performance.now() - begun);
      await pause(pauseMs);
    }
  })();
  const used = () => server.processorSeconds() + (server.database?.processorSeconds() ?? 0);
  const usedBefore = used();
  const begun = performance.now();
  await Promise.all([work().finally(() => (isOver = true)), reading]);
  return { seconds: (performance.now() - begun) / 1000, processorSeconds: used() - usedBefore, readMs };
}

/** Sends a GraphQL document. Throws Error for any error of the answer. */
async function askFor({ url }: Server, token: string, query: string, variables: object): Promise<void> {
  const answer = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await answer.json();
  if (data?.done == null) throw new Error(`A document was refused: ${JSON.stringify(errors)}`);
}
