// Peer (c): PostGraphile 5 as its makers document it (postgraphile.org, "Using PostGraphile as a library"), on the schema `peer` of a
// database. Run with the URL of that. Plain JavaScript, and nothing of this project in it: it runs on a newer Node, with packages that
// only the benchmark installs (`install.ts`).

import { createServer } from 'node:http';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';

const [, , connectionString] = process.argv;
const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString, schemas: ['peer'] })],
});
const server = createServer();
await instance.createServ(grafserv).addTo(server);
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`The peer is listening on http://127.0.0.1:${server.address().port}\n`);
});
