// Runs attacks by the holder of one key: each alone, measuring the processor time that it costs the server, and then all at once,
// while another account works as usual.

import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { type Attack, attacks } from './attacks.ts';
import { Battlefield, type BattlefieldOptions } from './battlefield.ts';
import { type Answer, findGraphqlFault, findRestFault, NoAnswer, shorten, type TortureClient } from './client.ts';
import { fillAccount } from './fill.ts';
import { incidents } from './incidents.ts';
import { createHome, loggedFailures } from './process.ts';
import { quantile, type Report, round } from './report.ts';
import type { AttackedWorld } from './requests.ts';

/** The extent of a run. */
export interface HostileOptions extends BattlefieldOptions {
  readonly attacks: readonly string[];
  /** The attacks that are not single requests: see `incidents.ts`. */
  readonly incidents: readonly string[];
  /** Most processor time that one attack may cost, in milliseconds. */
  readonly cpuMsMax: number;
  /** How often each attack is repeated, after one warm-up. */
  readonly repeats: number;
  /** How long all attacks run at once; 0 skips that part. */
  readonly togetherSeconds: number;
  readonly connections: number;
}

/** Longest time of a GET by another account, at the 99th percentile, while all attacks run at once. */
const otherMsMax = 250;
/** Longest allowed answer: a page of 100 edges may contain 26 MB. */
const answerMiBMax = 32;

/** Runs all attacks. */
export async function hostile(options: HostileOptions): Promise<Report> {
  const { cpuMsMax, repeats, togetherSeconds, connections, progress } = options;
  const home = createHome(options.database);
  const field = await Battlefield.open(options, home);
  const { broken, figures } = field;
  const chosen = attacks.filter(({ name }) => options.attacks.includes(name));
  try {
    const { world, victim } = await fillAccount(field);
    progress('hostile: both accounts are filled');
    const before = await readVictim(field, victim);
    for (const attack of chosen) {
      await alone(field, attack, world, { repeats, cpuMsMax });
      progress(`hostile: ${attack.name}: ${figures[attack.name]}`);
    }
    for (const incident of incidents.filter(({ name }) => options.incidents.includes(name))) {
      figures[incident.name] = await incident.run(field, world);
      await field.revive(incident.name);
      progress(`hostile: ${incident.name}: ${figures[incident.name]}`);
    }
    if (togetherSeconds > 0) await together(field, chosen, world, victim, { togetherSeconds, connections });
    await field.revive('the end');
    const after = await readVictim(field, victim);
    broken.unless(
      before === after,
      'the data of another account changed',
      `${shorten(before)} became ${shorten(after)}`,
    );
    figures['resident MiB at the end'] = round(field.server.residentMiB());
    await field.server.stop();
    for (const failure of loggedFailures(home)) broken.add('the server failed', failure);
  } finally {
    await field.server.kill();
    home.remove();
  }
  return {
    run: 'hostile',
    parameters: { ...options.sizes, cpuMsMax, repeats, togetherSeconds, connections },
    figures,
    broken: broken.sentences(),
  };
}

async function readVictim(field: Battlefield, path: string): Promise<string> {
  const client = field.other();
  const shown = await Promise.all([client.rest('GET', path), client.rest('GET', '/ip_policies')]);
  client.close();
  // A restarted server listens on another port, which is in every URL.
  return JSON.stringify(shown.map(({ status, body }) => [status, body])).replaceAll(field.server.url, '');
}

async function alone(
  field: Battlefield,
  attack: Attack,
  world: AttackedWorld,
  { repeats, cpuMsMax }: Pick<HostileOptions, 'repeats' | 'cpuMsMax'>,
): Promise<void> {
  const costs: number[] = [];
  let outcome = '';
  await field.rest();
  for (let count = 0; count <= repeats; count += 1) {
    const request = attack.request(field.sizes, world, count);
    const cpuBefore = field.server.cpuMs();
    const client = field.attacker();
    const answer = await sendAttack(client, request, field.timeoutMs);
    client.close();
    outcome = judge(field, attack, answer);
    await field.rest();
    // The processor time of a process that has ended can no longer be read.
    const cost = field.server.isAlive() ? field.server.cpuMs() - cpuBefore : Number.POSITIVE_INFINITY;
    await field.revive(attack.name);
    costs.push(cost);
    // Attacks that are far beyond the limit or generate keys are not repeated.
    if (cost > (count === 0 ? 20 : 4) * cpuMsMax || attack.isCrypto) break;
  }
  // The first request compiles code and the rules of an account, which the later ones reuse; it counts only if it is the only one.
  const median = quantile(costs.length > 1 ? costs.slice(1) : costs, 0.5);
  const limit = attack.isCrypto ? Number.POSITIVE_INFINITY : cpuMsMax;
  const figure = Number.isFinite(median) ? `${round(median)} ms (first ${round(costs[0] ?? 0)})` : 'ended the process';
  field.figures[attack.name] = `${figure}, ${outcome}`;
  const cost = `cost too much (item ${attack.item}): ${figure}, ${outcome}`;
  field.broken.unless(median <= limit, attack.name, cost);
}

async function sendAttack(
  client: TortureClient,
  { method, path, ...sending }: ReturnType<Attack['request']>,
  timeoutMs: number,
) {
  try {
    return await client.send(method, path, { ...sending, timeoutMs, discard: true });
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return error;
  }
}

/** Notes what is wrong with the answer to an attack, and returns a summary of the answer. */
function judge({ broken }: Battlefield, attack: Attack, answer: Answer | NoAnswer): string {
  if (answer instanceof NoAnswer) {
    // Node itself answers headers that are too long, and closes the connection while they are still arriving.
    if (attack.name !== 'token-of-100-kilobytes') broken.add(attack.name, `was not answered: ${answer.message}`);
    return answer.message;
  }
  const { status, bytes, body } = answer;
  const code = body?.error_code ?? body?.errors?.[0]?.extensions?.code;
  const outcome = `${status}${code === undefined ? '' : ` ${code}`}, ${bytes} bytes`;
  const isGraphql = body !== undefined && !('error_code' in Object(body));
  const fault = status < 500 ? null : isGraphql ? findGraphqlFault(answer) : findRestFault(answer, 200);
  if (fault !== null) broken.add(attack.name, `was answered as nothing may be: ${fault}`);
  broken.unless(bytes <= answerMiBMax * 2 ** 20, attack.name, `got too long an answer: ${outcome}`);
  if (attack.mustSucceed && (status !== 200 || code !== undefined)) {
    broken.add(attack.name, `was refused, although it is honest: ${outcome}`);
  }
  return outcome;
}

/** The results of the `probe.ts` process. */
interface Seen {
  readonly times: number[];
  readonly healthTimes: number[];
  readonly faults: string[];
}

async function together(
  field: Battlefield,
  chosen: readonly Attack[],
  world: AttackedWorld,
  victim: string,
  { togetherSeconds, connections }: Pick<HostileOptions, 'togetherSeconds' | 'connections'>,
): Promise<void> {
  const { server, broken, figures } = field;
  const stopProbe = startProbe(server.url, field.other().token, victim);
  await pause(1_500);
  const deadline = performance.now() + togetherSeconds * 1000;
  let sent = 0;
  let unanswered = 0;
  const storm = async (number: number) => {
    const client = field.attacker();
    for (let turn = number; performance.now() < deadline && server.isAlive(); turn += 1) {
      const attack = chosen[turn % chosen.length];
      if (attack === undefined) break;
      const answer = await sendAttack(client, attack.request(field.sizes, world, 1_000 + sent), 30_000);
      sent += 1;
      if (answer instanceof NoAnswer) unanswered += 1;
      else judge(field, attack, answer);
    }
    client.close();
  };
  await Promise.all(Array.from({ length: connections }, (_, number) => storm(number)));
  const { times, healthTimes, faults } = await stopProbe();
  const p99 = quantile(times, 0.99);
  figures['together: attacks sent'] = sent;
  figures['together: attacks without an answer'] = unanswered;
  figures['together: GETs of the other account'] = times.length;
  figures['together: their p99 in ms'] = round(p99);
  figures['together: longest /healthz in ms'] = round(Math.max(0, ...healthTimes));
  figures['together: resident MiB'] = round(server.residentMiB());
  broken.unless(
    times.length > 0 && p99 < otherMsMax,
    'another account waits',
    `p99 of ${times.length} GETs is ${round(p99)} ms`,
  );
  for (const fault of faults) broken.add('another account is not served', fault);
  await field.revive('all at once');
}

function startProbe(url: string, token: string, path: string): () => Promise<Seen> {
  const script = new URL('./probe.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, ['--import', 'tsx', script, url, path], {
    env: { PATH: process.env.PATH ?? '', TORTURE_TOKEN: token },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return async () => {
    child.stdin.end();
    await ended;
    return JSON.parse(out);
  };
}
