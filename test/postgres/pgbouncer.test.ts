// Two servers behind PgBouncer in transaction mode, set up as in docs/postgresql.md, if it is installed: no client owns a session.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  apiKey,
  endOf,
  readyServer,
  rest,
  run,
  start,
  statusOf,
  temporaryDirectory,
  until,
} from '../process/support.ts';
import { makeDatabase } from '../support/database.ts';
import { openStream } from '../support/event-stream.ts';
import { freePort } from '../support/free-port.ts';
import { send } from '../support/postgres.ts';

const isInstalled = spawnSync('pgbouncer', ['--version']).status === 0;
if (!isInstalled) process.stderr.write('PgBouncer is not installed: that servers work behind it is not tested.\n');

/** Number of sessions of the pooler: fewer than the servers' connections, so that sessions change hands. */
const sessions = 3;

/** Starts a pooler. Returns the URL of the database through it. */
async function startPooler(databaseUrl: string): Promise<string> {
  const { hostname, port, pathname, searchParams, username, password } = new URL(databaseUrl);
  const poolerPort = await freePort();
  const target = {
    host: decodeURIComponent(searchParams.get('host') ?? hostname),
    port: port || '5432',
    user: decodeURIComponent(username),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
  };
  const words = Object.entries(target).map(([name, value]) => `${name}=${value}`);
  const file = join(temporaryDirectory(), 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
* = ${words.join(' ')}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${poolerPort}
unix_socket_dir =
pool_mode = transaction
default_pool_size = ${sessions}
max_client_conn = 500
auth_type = any
`,
  );
  // PgBouncer does not run as root, and the socket of PostgreSQL belongs to the user as which PostgreSQL runs.
  const pooler = run('pgbouncer', process.getuid?.() === 0 ? ['-u', 'postgres', file] : [file]);
  const url = `postgresql://anybody@127.0.0.1:${poolerPort}${pathname}`;
  const answers = () =>
    send(url, 'SELECT 1').then(
      () => true,
      () => false,
    );
  await until(async () => {
    if (pooler.child.exitCode !== null) throw new Error(`PgBouncer does not start: ${pooler.printed.errors}`);
    return answers();
  });
  return `${url}?pgbouncer=true`;
}

describe.runIf(isInstalled)('behind PgBouncer in transaction mode', () => {
  test('a database is migrated, and two servers read, write, compare versions and tell each other’s changes', async () => {
    const database = await makeDatabase({ migrated: false });
    onTestFinished(() => database.remove());
    const DATABASE_URL = await startPooler(database.url);
    const environment = { DATABASE_URL, SECRET_KEY: Buffer.alloc(32, 7).toString('base64') };
    const [one, two] = await Promise.all([readyServer({ environment }), readyServer({ environment })]);
    expect([...one.log(), ...two.log()].filter(({ msg }) => msg === 'database migrated').length).toBe(1);
    const weakness = /^Behind a pooler, servers cannot see each other\./;
    for (const { log } of [one, two]) expect(log().filter(({ msg }) => weakness.test(String(msg))).length).toBe(1);

    const stream = await openStream(`${two.url}/events`, apiKey);
    onTestFinished(() => stream.cut());

    // More concurrent requests than sessions, with several statements each: statements prepared in one session do not exist in the
    // next.
    const many = Array.from({ length: 40 }, (_, index) => index);
    const urlOf = (place: number) => (place % 2 === 0 ? one : two).url;
    const made = await Promise.all(
      many.map(async (place) => {
        const answer = await rest(urlOf(place), 'POST', '/ip_policies', { description: `policy ${place}` });
        const { id }: { id: string } = await answer.json();
        return { status: answer.status, id };
      }),
    );
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
    const read = await Promise.all(
      made.map(async ({ id }, index) => {
        const answer = await rest(urlOf(index + 1), 'GET', `/ip_policies/${id}`);
        const { description }: { description: string } = await answer.json();
        return description;
      }),
    );
    expect(read).toEqual(many.map((place) => `policy ${place}`));

    // Of concurrent changes of one version at both servers, exactly one succeeds.
    const path = `/ip_policies/${made[0]?.id}`;
    const changes = many.slice(0, 8).map((place) => {
      return rest(urlOf(place), 'PATCH', path, { description: `change ${place}` }, apiKey, { 'If-Match': '"1"' });
    });
    const statuses = (await Promise.all(changes)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array<number>(7).fill(412)]);

    // Every change is sent exactly once by either server, without a session that listens.
    const told = (await stream.wait(many.length + 1)) as { object_id: string; version: number }[];
    expect(told.map(({ object_id, version }) => `${object_id} ${version}`).sort()).toEqual(
      [...made.map(({ id }) => `${id} 1`), `${made[0]?.id} 2`].sort(),
    );

    const troubles = [...one.log(), ...two.log()].filter(
      ({ level, msg }) => Number(level) >= 40 && !weakness.test(String(msg)),
    );
    expect(troubles).toEqual([]);
  });

  test('a change of the secret key does not see a server, which then says 503 to all that needs the key, and is not ready', async () => {
    const database = await makeDatabase({ migrated: false });
    onTestFinished(() => database.remove());
    const DATABASE_URL = await startPooler(database.url);
    const environment = { DATABASE_URL, SECRET_KEY: Buffer.alloc(32, 7).toString('base64') };
    const { url } = await readyServer({ environment });
    const authority = JSON.parse(await (await rest(url, 'POST', '/ssh_certificate_authorities', {})).text());
    const NEW_SECRET_KEY = Buffer.alloc(32, 8).toString('base64');
    const changed = await endOf(start('cli', ['secret', 'rotate'], { ...environment, NEW_SECRET_KEY }));
    expect([changed.code, changed.errors]).toEqual([0, '']);
    const certificate = { ssh_certificate_authority_id: authority.id, public_key: authority.public_key };
    const statuses = [
      (await rest(url, 'POST', '/ssh_host_certificates', certificate)).status,
      (await rest(url, 'POST', '/ssh_certificate_authorities', {})).status,
      await statusOf(url, '/readyz'),
      (await rest(url, 'GET', '/ssh_certificate_authorities')).status,
    ];
    expect(statuses).toEqual([503, 503, 503, 200]);
  });
});
