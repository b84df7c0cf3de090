// A server of lists for tests: it answers what the test says at that moment.

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';

/** Starts a server. Close it at the end. */
export async function startListServer(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('A TCP server has a port.');
  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
