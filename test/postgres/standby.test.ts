// A primary and its standby change places: servers find the primary again, by an address that moves and by several hosts.

import { expect, test } from 'vitest';
import { readUrl } from '../../src/storage/postgres/url.ts';
import { cli, type Environment, endOf, readyServer, rest, start, statusOf, until } from '../process/support.ts';
import { query } from '../support/postgres.ts';
import { movableAddress, startPair, switchOver } from '../support/standby.ts';

const environmentOf = (url: string): Environment => ({
  DATABASE_URL: url,
  SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
});

/** Returns how many connections of servers a database has. */
const connectionsTo = async (url: string) => {
  const [row] = await query(
    url,
    "SELECT count(*)::int AS connections FROM pg_stat_activity WHERE application_name IN ('sallyport', 'sallyport hold')",
  );
  return row?.connections;
};

const isReady = async (url: string) => (await statusOf(url, '/readyz')) === 200;
const write = async (url: string) => (await rest(url, 'POST', '/ip_policies', {})).status;

test('an address that led to the standby for a while leads to the primary again: no connection stays behind', async () => {
  const { primary, standby } = await startPair();
  const address = await movableAddress(primary);
  const server = await readyServer({ environment: environmentOf(address.url) });
  expect(await write(server.url)).toBe(201);
  // Twice: there and back again.
  for (const _ of [1, 2]) {
    address.leadTo(standby);
    address.cut();
    // Nobody asks `/readyz`: the server notices by itself.
    const readyIs = async (value: number) => {
      const metrics = await (await fetch(`${server.url}/metrics`)).text();
      return metrics.includes(`\nsallyport_ready ${value}\n`);
    };
    await rest(server.url, 'GET', '/ip_policies');
    await until(() => readyIs(0));
    expect(await isReady(server.url)).toBe(false);
    address.leadTo(primary);
    await until(() => readyIs(1));
    expect(await isReady(server.url)).toBe(true);
    expect(await write(server.url)).toBe(201);
    await until(async () => (await connectionsTo(standby.url)) === 0);
  }
  const told = server.log().filter(({ msg }) => /takes no writes|healthy again/.test(String(msg)));
  expect(told.map(({ level }) => level)).toEqual([50, 30, 50, 30]);
});

test('with several hosts, the primary is found wherever it is, there and back again', async () => {
  const { primary, standby } = await startPair();
  const [one, other] = [await movableAddress(primary), await movableAddress(standby)];
  const hosts = `postgresql://postgres@${new URL(other.url).host},${new URL(one.url).host}/postgres`;
  const server = await readyServer({ environment: environmentOf(`${hosts}?target_session_attrs=read-write`) });
  expect(await write(server.url)).toBe(201);
  await switchOver(primary, standby);
  await until(async () => (await write(server.url)) === 201);
  await until(() => isReady(server.url));
  await switchOver(standby, primary);
  await until(async () => (await write(server.url)) === 201);
  await until(() => isReady(server.url));
  const listed = JSON.parse(await (await rest(server.url, 'GET', '/ip_policies')).text());
  expect(listed.ip_policies).toHaveLength(3);

  const environmentAsking = (kind: string) => environmentOf(`${hosts}?target_session_attrs=${kind}`);
  const hostOf = async (kind: string) => {
    const { out } = await cli({ environment: environmentAsking(kind) }, ['doctor']);
    return /^fail {2}standby/m.test(out) ? 'standby' : 'primary';
  };
  const kinds = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'];
  expect(await Promise.all(kinds.map(hostOf))).toEqual([
    'standby',
    'primary',
    'standby',
    'primary',
    'standby',
    'standby',
  ]);
  standby.signal('SIGKILL');
  other.cut();
  expect(await Promise.all(['any', 'prefer-standby'].map(hostOf))).toEqual(['primary', 'primary']);
  const { code, errors } = await endOf(start('main', [], { ...environmentAsking('standby'), PORT: '0' }));
  expect(code).toBe(1);
  expect(errors).toContain(`${new URL(one.url).host}: it is not a standby`);
  expect(errors).toContain(`${new URL(other.url).host}: `);
});

test('a server that is started on a standby says so, and becomes ready with the primary', async () => {
  const { primary, standby } = await startPair();
  const address = await movableAddress(standby);
  const environment = environmentOf(address.url);
  const starting = start('main', [], { ...environment, PORT: '0', LOG_LEVEL: 'info' });
  await until(() => starting.printed.errors.includes('takes no writes'));
  expect(starting.printed.errors).not.toContain('"ready"');
  const doctor = await cli({ environment }, ['doctor']);
  expect(doctor.out).toMatch(/^fail {2}standby: The database takes no writes/m);
  address.leadTo(primary);
  await until(() => starting.printed.errors.includes('"ready"'));
  expect(starting.printed.errors).toContain('the database is healthy again');
  starting.child.kill('SIGTERM');
  await starting.ended;
});

test('a URL names several hosts as libpq has them', () => {
  const hostsOf = (url: string) =>
    readUrl(url).hosts.map(({ config: { host, port, user, password, database } }) =>
      [host, port, user, password, database].join(' '),
    );
  expect(hostsOf('postgresql://u:p%40,@a:5432,b:5433,[::1]/db?sslmode=disable')).toEqual([
    'a 5432 u p@, db',
    'b 5433 u p@, db',
    '::1  u p@, db',
  ]);
  expect(hostsOf('postgresql://u@localhost/db?host=/one,/two,c&port=1,2,3')).toEqual([
    '/one 1 u  db',
    '/two 2 u  db',
    'c 3 u  db',
  ]);
  expect(hostsOf('postgresql://u@localhost/db?host=a,b&port=1')).toEqual(['a 1 u  db', 'b 1 u  db']);
  const { name, session } = readUrl('postgresql://u:secret@a,b:2/db?target_session_attrs=primary');
  expect([name, session]).toEqual(['postgresql://a,b:2/db', 'primary']);
  expect(() => readUrl('postgresql://a,b/db?port=1,2,3')).toThrow('names 2 hosts, but 3 ports');
  expect(() => readUrl('postgresql://a,b:x/db')).toThrow('must be a URL');
  expect(() => readUrl('postgresql://a/db?target_session_attrs=master')).toThrow(
    'target_session_attrs must be one of any, read-write, read-only, primary, standby, prefer-standby',
  );
});
