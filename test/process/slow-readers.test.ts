// Clients that read their answers slowly, or not at all: normally, under pressure, and while the server stops.

import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createMessageClasses } from '../../src/wire/express-prototypes.ts';
import { type Bounds, listen } from '../../src/wire/listen.ts';
import { wasSent } from '../../src/wire/trace.ts';
import { exchange, openSocket, statusesIn } from '../support/raw-socket.ts';

const megabyte = 1_048_576;
/** These tests send only well-formed requests, so nothing is recorded. */
const unrecorded = { newRequestId: () => 'op_0', requestEnded: () => {} };

/** Starts a server that answers `/<n>` with n megabytes, `/wait` when told to, and `/whole` once the request is complete. */
async function start(bounds: Partial<Bounds> = {}) {
  const gone: string[] = [];
  let answerWaiting = () => {};
  const listener: RequestListener = (request, response) => {
    const path = request.url ?? '';
    response.on('close', () => {
      if (!wasSent(response)) gone.push(path);
    });
    const bytes = Buffer.alloc(Number(/^\/(\d+)/.exec(path)?.[1] ?? 0) * megabyte, 'x');
    const answer = () => response.writeHead(200, { 'Content-Length': bytes.length }).end(bytes);
    if (path === '/wait') answerWaiting = answer;
    else if (path === '/whole') request.on('end', answer).resume();
    else answer();
  };
  const server = await listen(listener, createMessageClasses(), 0, '127.0.0.1', unrecorded, bounds);
  onTestFinished(() => server.cut());
  return { server, gone, url: `http://127.0.0.1:${server.port}`, answer: () => answerWaiting() };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

/** Sends requests, and reads nothing of the answers until told to. */
async function askAndWait(url: string, ...paths: string[]): Promise<Socket> {
  const socket = await openSocket(url);
  socket.pause();
  socket.write(paths.map(get).join(''));
  return socket;
}

/** Reads what is waiting in steps until the end, and returns the number of bytes. */
async function readSlowly(socket: Socket, megabytesPerSecond: number): Promise<number> {
  let bytes = 0;
  let ended = false;
  socket.on('close', () => {
    ended = true;
  });
  socket.on('data', (chunk) => {
    bytes += chunk.length;
    socket.pause();
    setTimeout(() => socket.resume(), chunk.length / (megabytesPerSecond * 1_048.576));
  });
  socket.resume();
  while (!ended) await pause(20);
  return bytes;
}

test('a client that takes nothing is closed, and one that takes a little is served to the end', async () => {
  const { server, gone, url } = await start({ stalledSecondsMax: 2, keepAliveTimeout: 1_000 });
  await askAndWait(url, '/30?nothing');
  const slow = await askAndWait(url, '/30?slow');
  await expect.poll(() => server.waitingBytes()).toBeGreaterThan(60 * megabyte);
  const begun = performance.now();
  const bytes = readSlowly(slow, 6);
  await expect.poll(() => gone, { timeout: 8_000 }).toEqual(['/30?nothing']);
  expect(performance.now() - begun).toBeGreaterThan(1_500);
  // The answer is complete; Node closes the connection if no further request arrives for a while.
  expect(await bytes).toBeGreaterThan(30 * megabyte);
  expect(gone).toEqual(['/30?nothing']);
  expect(server.waitingBytes()).toBe(0);
});

test('a client that waits for its answer is not taken for one that does not read', async () => {
  const { url, answer } = await start({ stalledSecondsMax: 1 });
  const answered = exchange(url, get('/wait').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
  await pause(2_600);
  answer();
  expect(statusesIn(await answered)).toEqual([200]);
});

test('an answer that is ready behind a slow one is not taken for one that nobody reads', async () => {
  const { url, gone, answer } = await start({ stalledSecondsMax: 1 });
  const answered = exchange(url, `${get('/wait')}${get('/1').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')}`);
  await pause(3_600);
  answer();
  expect(statusesIn(await answered)).toEqual([200, 200]);
  expect(gone).toEqual([]);
});

test('what waits for all clients is bounded: who has taken nothing for the longest is closed first', async () => {
  const { server, gone, url } = await start({ waitingBytesMax: 100 * megabyte });
  await askAndWait(url, '/45?first');
  await pause(2_500);
  await askAndWait(url, '/40?second');
  expect(gone).toEqual([]);
  // Again two of the checks that happen every second: the second one sees that nothing was read since the first.
  await pause(2_500);
  await askAndWait(url, '/35?third');
  await expect.poll(() => gone).toEqual(['/45?first']);
  expect(server.waitingBytes()).toBeLessThan(100 * megabyte);
  await askAndWait(url, '/60?fourth');
  await expect.poll(() => gone.slice(1)).toEqual(['/40?second']);
});

test('connections that only rest make room for new ones, those in use do not', async () => {
  const { url, answer } = await start({ connectionsMax: 3 });
  const busy = await openSocket(url);
  let answered = '';
  busy.on('data', (chunk) => {
    answered += chunk;
  });
  busy.write(get('/wait'));
  const resting = [await openSocket(url), await openSocket(url)];
  const closed = resting.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
  const ends = [await openSocket(url), await openSocket(url)];
  await Promise.all(closed);
  for (const socket of ends) socket.write(get('/0'));
  await Promise.all(ends.map((socket) => new Promise((resolve) => socket.once('data', resolve))));
  answer();
  await expect.poll(() => statusesIn(answered)).toEqual([200]);
});

test('where nothing rests, the request that has been incomplete for the longest makes room, and whole ones do not', async () => {
  const { url, gone, answer } = await start({ connectionsMax: 3 });
  const incomplete = get('/whole').replace('\r\n\r\n', '\r\nContent-Length: 10\r\n\r\n');
  const close = '\r\nConnection: close\r\n\r\n';
  const waiting = exchange(url, get('/wait').replace('\r\n\r\n', close));
  await pause(50);
  const sockets: Socket[] = [];
  for (let count = 0; count < 2; count++) {
    const socket = await openSocket(url);
    socket.resume().write(incomplete);
    sockets.push(socket);
    await pause(50);
  }
  const closed = () => sockets.map((socket) => socket.closed);
  expect(statusesIn(await exchange(url, get('/0').replace('\r\n\r\n', close)))).toEqual([200]);
  expect(closed()).toEqual([true, false]);
  // The other one can still finish, and its connection becomes idle.
  const finished = new Promise((resolve) => sockets[1]?.once('data', (chunk) => resolve(String(chunk))));
  sockets[1]?.write('0123456789');
  expect(statusesIn(String(await finished))).toEqual([200]);
  answer();
  expect(statusesIn(await waiting)).toEqual([200]);
  expect(gone).toEqual(['/whole']);
});

test('where all connections have whole requests, a new one is closed', async () => {
  const { url, answer } = await start({ connectionsMax: 1 });
  const close = '\r\nConnection: close\r\n\r\n';
  const waiting = exchange(url, get('/wait').replace('\r\n\r\n', close));
  await pause(100);
  expect(await exchange(url, get('/0').replace('\r\n\r\n', close))).toBe('');
  answer();
  expect(statusesIn(await waiting)).toEqual([200]);
});

test('a stop lets slow readers read to the end', async () => {
  const { server, gone, url } = await start();
  const slow = await askAndWait(url, '/30');
  const unused = await openSocket(url);
  const unusedClosed = new Promise((resolve) => unused.resume().once('close', resolve));
  await expect.poll(() => server.waitingBytes()).toBeGreaterThan(20 * megabyte);
  const begun = performance.now();
  const drained = server.drain();
  expect(await readSlowly(slow, 8)).toBeGreaterThan(30 * megabyte);
  expect(performance.now() - begun).toBeGreaterThan(2_500);
  await drained;
  await unusedClosed;
  expect(gone).toEqual([]);
  expect(performance.now() - begun).toBeLessThan(9_000);
});

test('a stop cuts off readers that take nothing, in the end', async () => {
  const { server, gone, url } = await start({ drainMsMax: 2_500 });
  await askAndWait(url, '/30');
  await expect.poll(() => server.waitingBytes()).toBeGreaterThan(20 * megabyte);
  const begun = performance.now();
  await server.drain();
  expect(performance.now() - begun).toBeGreaterThan(2_400);
  await expect.poll(() => gone).toEqual(['/30']);
});
