// Attacks that are more than one request: clients that leave, that do not read, that ask for more than their share, and a stop
// in the middle of it.

import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Battlefield } from './battlefield.ts';
import { NoAnswer } from './client.ts';
import { bootstrapKey } from './process.ts';
import { round } from './report.ts';
import { type AttackedWorld, certificateRequest, manyKeys } from './requests.ts';

/** One course of events. */
export interface Incident {
  readonly name: string;
  /** Lets it happen, and says what was measured. */
  run(field: Battlefield, world: AttackedWorld): Promise<string>;
}

/** Keys that may still be made after the client has left: those that were being made. */
const keysAfterLeavingMax = 4;
/** Longest stop of a server (docs/operations.md), and what the system may add to it. */
const stopMsMax = 12_000;
/**
 * Signatures of a crowd that may be answered while another account waits for one of its own: those under way, and a turn of each
 * account. A number and not a time, because a machine that has other things to do holds both up.
 */
const answeredMeanwhileMax = 4;
const slowReaders = 32;
/** Most memory that readers who take nothing may hold, in MiB. */
const slowReadersMiBMax = 300;
/** After this time a reader who takes nothing is cut off, with some time to notice. */
const slowReaderMsMax = 45_000;

/** All of them. */
export const incidents: readonly Incident[] = [
  { name: 'keys-abandoned', run: abandonKeys },
  { name: 'signings-of-another-account', run: crowdOut },
  { name: 'stop-amid-keys', run: stopAmidKeys },
  { name: 'readers-who-do-not-read', run: doNotRead },
];

/** Asks for many keys in one document, and leaves. */
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

/** One account has many RSA-4096 certificates signed; another one wants an ed25519 one. */
async function crowdOut(field: Battlefield, { rsaAuthority, otherAuthority }: AttackedWorld): Promise<string> {
  const other = field.other();
  const signOther = async () => {
    const request = { body: certificateRequest(otherAuthority), timeoutMs: 60_000 };
    const answer = await other.send('POST', '/ssh_host_certificates', request).catch(ignoreNoAnswer);
    if (answer?.status !== 201) field.broken.add('another account is not served', `its signing: ${answer?.status}`);
  };
  // The first of an account is for its key to be read, too.
  await signOther();
  const crowd = field.attacker(64);
  const crowding = Array.from({ length: field.sizes.signings }, () =>
    crowd.send('POST', '/ssh_host_certificates', { body: certificateRequest(rsaAuthority), timeoutMs: 120_000 }),
  );
  let answered = 0;
  for (const one of crowding) one.then(() => (answered += 1)).catch(ignoreNoAnswer);
  const begun = performance.now();
  const settled = Promise.allSettled(crowding).then(() => performance.now() - begun);
  // By then they all wait.
  await Promise.race(crowding).catch(ignoreNoAnswer);
  const waits: { readonly ms: number; readonly answered: number }[] = [];
  for (let count = 0; count < 10; count += 1) {
    // What has been answered by now and not been read, on a machine that has other things to do, was not answered meanwhile. The second
    // turn reads what has come since the first one looked.
    await nextTurn();
    await nextTurn();
    const [sent, before] = [performance.now(), answered];
    await signOther();
    waits.push({ ms: performance.now() - sent, answered: answered - before });
  }
  other.close();
  const crowdMs = await settled;
  crowd.close();
  const longest = Math.max(...waits.map(({ ms }) => ms));
  const most = Math.max(...waits.map((wait) => wait.answered));
  const figure = `longest of 10 ed25519 signings ${round(longest)} ms, at most ${most} of ${crowding.length} RSA-4096 ones answered meanwhile, all of them in ${round(crowdMs)} ms`;
  field.broken.unless(most <= answeredMeanwhileMax, 'another account waits', figure);
  return figure;
}

/** SIGTERM while many keys are being made. */
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

/** Readers who ask for large pages and never read. */
async function doNotRead(field: Battlefield): Promise<string> {
  await field.rest();
  const { port, hostname } = new URL(field.server.url);
  const before = field.server.residentMiB();
  let closed = 0;
  const get = `GET /ip_policies?limit=100 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${bootstrapKey}\r\nService-Version: 2\r\n\r\n`;
  const sockets: Socket[] = Array.from({ length: slowReaders }, () => {
    const socket = connect(Number(port), hostname, () => socket.write(get.repeat(20)));
    socket.on('error', () => undefined);
    // A paused socket notices the end only when it is read from; what it cannot miss is that writing fails.
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
