// Sends bytes on a connection exactly as given, for requests that no HTTP client would send.

import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Opens a connection, which is closed at the end of the test. */
export async function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  // An error also ends the connection, which is what tests look at.
  socket.on('error', () => {});
  return socket;
}

/**
 * Writes bytes, and returns everything that comes back until the server closes the connection.
 *
 * @param end whether to close the sending side after the bytes
 */
export async function exchange(url: string, bytes: string, { end = false } = {}): Promise<string> {
  const socket = await openSocket(url);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.write(bytes);
  if (end) socket.end();
  await new Promise((resolve) => socket.once('close', resolve));
  return answer;
}

/** Returns the statuses of the answers in what came back. */
export function statusesIn(answer: string): number[] {
  return [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
