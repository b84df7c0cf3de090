// A port for a program that must be told its port before it listens.

import { createServer } from 'node:net';

/** Finds a free port of a loopback address. */
export async function freePort(address = '127.0.0.1'): Promise<number> {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, address, resolve));
  const bound = taken.address();
  await new Promise((resolve) => taken.close(resolve));
  if (bound === null || typeof bound === 'string') throw new Error('A TCP server has a port.');
  return bound.port;
}
