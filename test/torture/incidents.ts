// Attacks that consist of several requests: clients that leave, that do not read, that demand more than their share, and a stop in
// the middle of work.

import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Battlefield } from './battlefield.ts';
import { NoAnswer } from './client.ts';
import { bootstrapKey } from './process.ts';
import { quantile, round } from './report.ts';
import { type AttackedWorld, certificateRequest, manyKeys } from './requests.ts';

/** One sequence of events. */
export interface Incident {
  readonly name: string;
  /** Runs the events, and returns what was measured. */
  run(field: Battlefield, world: AttackedWorld): Promise<string>;
}

/** Most keys that may still be generated after the client has left: those already in progress. */
const keysAfterLeavingMax = 4;
/** Longest time for stopping a server (docs/operations.md), plus some allowance for the system. */
const stopMsMax = 12_000;
/**
 * Most signatures of a crowd that may be answered while another account waits for one of its own: those in progress, and one per
 * turn. A count rather than a time, because a busy machine delays both. It bounds the median of several waits: while the machine
 * keeps this process from reading, answers that preceded the request pile up, and are counted although nobody waited for them.
 */
const answeredMeanwhileMax = 4;
/** Number of requests of the other account. */
const signingsOfOther = 11;
const slowReaders = 32;
/** Most memory, in MiB, that readers who read nothing may occupy. */
const slowReadersMiBMax = 300;
/** Time after which readers who read nothing must be cut off, including some time to notice it. */
const slowReaderMsMax = 45_000;

/** All incidents. */
export const incidents: readonly Incident[] = [
  { name: 'keys-abandoned', run: abandonKeys },
  { name: 'signings-of-another-account', run: crowdOut },
  { name: 'stop-amid-keys', run: stopAmidKeys },
  { name: 'readers-who-do-not-read', run: doNotRead },
];

/** Requests many keys in one document, and leaves. */
async function abandonKeys(field: Battlefield): Promise<string> {
  await field.rest();
  const before = await countAuthorities(field);
  const cpuBefore = field.server.cpuMs();
  const { path, method, body } = manyKeys(field.sizes.keys);
  const client = field.attacker();
  await client.send(method, path, { body, signal: AbortSignal.timeout(300) }).catch(ignoreNoAnswer);
  const atLeaving = await countAuthorities(field);
  client.close();
  await field.rest();
  const after = await countAuthorities(field);
  const figure = `${atLeaving - before} keys of ${field.sizes.keys} before the client left, ${after - atLeaving} after, ${round(field.server.cpuMs() - cpuBefore)} ms`;
  field.broken.unless(after - atLeaving <= keysAfterLeavingMax, 'work goes on after the client has left', figure);
  return figure;
}

async function countAuthorities(field: Battlefield): Promise<number> {
  const client = field.attacker();
  const { body } = await client.graphql('{sshCertificateAuthorities{totalCount}}');
  client.close();
  return body.data.sshCertificateAuthorities.totalCount;
}

/** One account keeps many RSA-4096 signings queued while another account requests ed25519 ones. */
async function crowdOut(field: Battlefield, { rsaAuthority, otherAuthority }: AttackedWorld): Promise<string> {
  const other = field.other();
  const signOther = async () => {
    const request = { body: certificateRequest(otherAuthority), timeoutMs: 60_000 };
    const answer = await other.send('POST', '/ssh_host_certificates', request).catch(ignoreNoAnswer);
    if (answer?.status !== 201) field.broken.add('another account is not served', `its signing: ${answer?.status}`);
  };
  // An account's first signing also reads its key.
  await signOther();
  const crowd = field.attacker(64);
  const sign = () => {
    const request = { body: certificateRequest(rsaAuthority), timeoutMs: 120_000 };
    return crowd.send('POST', '/ssh_host_certificates', request).catch(ignoreNoAnswer);
  };
  let answered = 0;
  let isOver = false;
  const first = Array.from({ length: field.sizes.signings }, sign);
  // Each answer triggers another request, so that every request of the other account meets a full queue.
  const crowding = first.map(async (asked) => {
    for (let answer = await asked; answer?.status === 201; answer = await sign()) {
      answered += 1;
      if (isOver) return;
    }
  });
  // At the first answer, all the others are queued.
  await Promise.race(first);
  const waits: { readonly ms: number; readonly answered: number }[] = [];
  for (let count = 0; count < signingsOfOther; count += 1) {
    // Answers that have arrived already do not count. The second turn reads those that arrived during the first.
    await nextTurn();
    await nextTurn();
    const [sent, before] = [performance.now(), answered];
    await signOther();
    waits.push({ ms: performance.now() - sent, answered: answered - before });
  }
  isOver = true;
  other.close();
  await Promise.all(crowding);
  crowd.close();
  const median = (values: readonly number[]) => quantile(values, 0.5);
  const ms = median(waits.map((wait) => wait.ms));
  const meanwhile = median(waits.map((wait) => wait.answered));
  const figure = `median of ${waits.length} ed25519 signings ${round(ms)} ms, ${meanwhile} RSA-4096 ones answered meanwhile, ${answered} in all`;
  field.broken.unless(meanwhile <= answeredMeanwhileMax, 'another account waits', figure);
  return figure;
}

/** Stops the server with SIGTERM while many keys are being generated. */
async function stopAmidKeys(field: Battlefield): Promise<string> {
  const { path, method, body } = manyKeys(field.sizes.keys);
  const client = field.attacker();
  const asking = client.send(method, path, { body, timeoutMs: 60_000 }).catch(ignoreNoAnswer);
  await pause(300);
  const took = await field.server.stop();
  await asking;
  client.close();
  const figure = `${round(took)} ms from SIGTERM to the end`;
  field.broken.unless(took <= stopMsMax, 'the stop takes too long', figure);
  await field.restart();
  return figure;
}

/** Readers request large pages and never read them. */
async function doNotRead(field: Battlefield): Promise<string> {
  await field.rest();
  const { port, hostname } = new URL(field.server.url);
  const before = field.server.residentMiB();
  let closed = 0;
  const get = `GET /ip_policies?limit=100 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${bootstrapKey}\r\nService-Version: 2\r\n\r\n`;
  const sockets: Socket[] = Array.from({ length: slowReaders }, () => {
    const socket = connect(Number(port), hostname, () => socket.write(get.repeat(20)));
    socket.on('error', () => undefined);
    // A paused socket does not notice the end of the connection, but it cannot miss that writing fails.
    socket.pause();
    socket.on('close', () => {
      closed += 1;
    });
    return socket;
  });
  let most = before;
  const begun = performance.now();
  while (performance.now() - begun < slowReaderMsMax && closed < sockets.length && field.server.isAlive()) {
    await pause(500);
    most = Math.max(most, field.server.residentMiB());
    for (const socket of sockets) socket.write('\r\n');
  }
  const client = field.attacker();
  const answer = await client.rest('GET', '/ip_policies?limit=1').catch(ignoreNoAnswer);
  field.broken.unless(answer?.status === 200, 'another reader is not served', `beside slow ones: ${answer?.status}`);
  client.close();
  const figure = `${closed} of ${sockets.length} closed in ${round((performance.now() - begun) / 1000)} s, ${round(most - before)} MiB more at most`;
  field.broken.unless(closed === sockets.length, 'readers who take nothing are kept', figure);
  field.broken.unless(most - before <= slowReadersMiBMax, 'readers who take nothing hold memory', figure);
  for (const socket of sockets) socket.destroy();
  return figure;
}

function ignoreNoAnswer(error: unknown): undefined {
  if (!(error instanceof NoAnswer)) throw error;
}
