// The baseline for a decision: `node:http` that answers every request with 200 and the headers of the gate, and looks at nothing.
// Run without arguments.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { announce } from './opponent.ts';

const headers = ['Content-Length', '0', 'Cache-Control', 'no-store'];
for (const name of ['Remote-User', 'Remote-Groups', 'Remote-Email', 'Remote-Name']) headers.push(name, 'somebody');
headers.push('Sallyport-Identity', '', 'Cookie', '');

const server = createServer((_request, reply) => {
  reply.writeHead(200, headers);
  reply.end();
});
server.listen(0, '127.0.0.1', () => {
  // A server that listens on TCP has an address with a port.
  announce((server.address() as AddressInfo).port);
});
