// The metrics for Prometheus: exactly those that the page about operation lists, with labels that cannot grow without bound.

import { Agent, createServer, METHODS, request } from 'node:http';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { sshUpkeep } from '../../src/areas/ssh/upkeep.ts';
import { serverUpkeep } from '../../src/cli/upkeep.ts';
import { usualKeyAges } from '../../src/domain/access/key-ages.ts';
import { createOutgoing } from '../../src/outgoing/outgoing.ts';
import { createFileReceiver } from '../../src/outgoing/shipping/file.ts';
import { chooseEngine } from '../../src/storage/lifecycle/choose-engine.ts';
import type { ServerReads } from '../../src/storage/objects/server-scope.ts';
import { rowSlices, type SliceSizes } from '../../src/storage/sql/read-slices.ts';
import { commandLine } from '../../src/storage/trail/origin.ts';
import { publicFiles, routes } from '../../src/surfaces/rest/routes.ts';
import { createMetrics, type Metrics } from '../../src/telemetry/metrics.ts';
import { createProbes } from '../../src/wire/probes.ts';
import type { RequestSummary } from '../../src/wire/trace.ts';
import { openClient } from '../support/database.ts';
import { onOneEngine } from '../support/one-engine.ts';
import { uproot } from '../support/planting.ts';
import { createClient, startService, startTime, type TestService } from '../support/service.ts';
import { filesBelow, read } from '../support/source-files.ts';

/** Rethrows a failure to count, which no test expects. */
const unexpected = (error: unknown) => {
  throw error;
};

const upkeep = await serverUpkeep({
  auditDays: 400,
  dashboardIdleSeconds: 1_800,
  signingAgents: [],
  keyAges: usualKeyAges,
  outgoing: createOutgoing({ outgoingNetworks: [], outgoingDns: [] }),
  receivers: [createFileReceiver({ path: '/nowhere', bytesMax: 1, kept: 1 }, false)],
});
const gauges = upkeep.flatMap((area) => area.gauges ?? []);
let service: TestService;
let metrics: Metrics;
let now = startTime;
const summaries: RequestSummary[] = [];

beforeAll(async () => {
  metrics = createMetrics({ version: '1.2.3', now: () => now, gauges, reportFailure: unexpected });
  service = await startService({
    requestEnded: (summary) => {
      summaries.push(summary);
      metrics.countRequest(summary);
    },
  });
  metrics.watch(service.storage.server);
});
afterAll(() => service.close());

/** Returns the lines of a metric, without comments. */
async function lines(name: string): Promise<string[]> {
  const text = await metrics.expose();
  return text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
}

test('requests are counted by surface, route and status class, whatever clients call things', async () => {
  for (let count = 0; count < 20; count++) {
    await service.rest('GET', `/ip_policies/ipp_${count}`);
    await service.rest('GET', `/nowhere/${count}`);
    await service.graphql(`query Name${count} { a${count}: ipPolicies { totalCount } }`);
    await service.graphql(`{ unknown${count} }`);
  }
  await service.rest('POST', '/ip_policies', { description: 'counted' });
  await service.graphql('{ __schema { queryType { name } } }');
  await fetch(`${service.url}/graphql`, { headers: { Accept: 'text/html' } }).then((page) => page.arrayBuffer());
  await expect.poll(() => summaries.length).toBe(83);
  expect((await lines('sallyport_requests_total')).sort()).toEqual(
    [
      'sallyport_requests_total{surface="graphql",route="__schema",status="2xx"} 1',
      'sallyport_requests_total{surface="graphql",route="ipPolicies",status="2xx"} 20',
      'sallyport_requests_total{surface="graphql",route="none",status="2xx"} 20',
      'sallyport_requests_total{surface="page",route="GET /graphql",status="2xx"} 1',
      'sallyport_requests_total{surface="rest",route="GET /ip_policies/{id}",status="4xx"} 20',
      'sallyport_requests_total{surface="rest",route="POST /ip_policies",status="2xx"} 1',
      'sallyport_requests_total{surface="unknown",route="none",status="4xx"} 20',
    ].sort(),
  );
  expect((await lines('sallyport_errors_total')).sort()).toEqual([
    'sallyport_errors_total{surface="graphql",code="GRAPHQL_INVALID"} 20',
    'sallyport_errors_total{surface="rest",code="NOT_FOUND"} 20',
    'sallyport_errors_total{surface="unknown",code="UNKNOWN_ROUTE"} 20',
  ]);
  expect(await metrics.expose()).not.toMatch(/acct_|ipp_|ak_/);
});

test('logins and logouts of users are counted, and why they fail', async () => {
  const happened = { routeId: 'edghtsrt_1', reference: 'sess_1', sessions: 1 };
  const failed = {
    requestId: 'op_1',
    routeId: 'edghtsrt_1',
    detail: 'amy',
    host: null,
    user: null,
    client: null,
    ledOn: false,
  } as const;
  metrics.countSession({ ...happened, event: 'login', reason: 'requested' });
  metrics.countSession({ ...happened, event: 'logout', reason: 'identity_provider', sessions: 3 });
  metrics.countLoginFailure({ ...failed, event: 'login', reason: 'signature' });
  metrics.countLoginFailure({ ...failed, event: 'logout', reason: 'signature' });
  expect([...(await lines('sallyport_logins_total')), ...(await lines('sallyport_logouts_total'))]).toEqual([
    'sallyport_logins_total{result="ok",reason="requested"} 1',
    'sallyport_logins_total{result="failed",reason="signature"} 1',
    'sallyport_logouts_total{result="ok",reason="identity_provider"} 3',
    'sallyport_logouts_total{result="failed",reason="signature"} 1',
  ]);
});

test('objections of IP restrictions are counted by surface and effect', async () => {
  const client = createClient(service.url, (await service.otherAccount('restricted')).token);
  const { id } = (await client.rest('POST', '/ip_policies')).body;
  const restriction = (await client.rest('POST', '/ip_restrictions', { type: 'api', ip_policy_ids: [id] })).body;
  await client.graphql('{ ipPolicies { totalCount } }');
  const force = { 'Sallyport-Force': 'true' };
  const enforced = await client.rest('PATCH', `/ip_restrictions/${restriction.id}`, { enforced: true }, force);
  expect(enforced.status).toBe(200);
  expect((await client.rest('GET', '/ip_policies')).status).toBe(403);
  await expect.poll(() => summaries.filter(({ ipRestrictions }) => ipRestrictions !== null)).toHaveLength(3);
  expect((await lines('sallyport_ip_restrictions_total')).sort()).toEqual([
    'sallyport_ip_restrictions_total{surface="graphql",effect="warn"} 1',
    'sallyport_ip_restrictions_total{surface="rest",effect="refuse"} 1',
    'sallyport_ip_restrictions_total{surface="rest",effect="warn"} 1',
  ]);
});

// What is done before the database is asked, or beside it.
onOneEngine(() => {
  test('odd requests make no more series than the route table has rows for', async () => {
    const lines = async () =>
      (await own.expose()).split('\n').filter((line) => /^sallyport_requests_total\{/.test(line));
    const own = createMetrics({ version: '1.2.3', now: () => now, gauges, reportFailure: unexpected });
    let ended = 0;
    const other = await startService({
      requestEnded: (summary) => {
        ended += 1;
        own.countRequest(summary);
      },
    });
    onTestFinished(() => other.close());
    const paths = [...new Set([...routes, ...publicFiles].map(({ path }) => path))];
    const pages = ['/', '/docs', '/openapi.json', '/schema.graphql', '/graphql', '/nowhere', '/%ff', '//ip_policies'];
    const targets = [...paths.map((path) => path.replace(/\{\w+\}/g, 'x')), ...pages];
    // CONNECT never becomes a request.
    const methods = METHODS.filter((method) => method !== 'CONNECT');
    const requests = methods.flatMap((method) => targets.map((target) => ({ method, target })));
    expect(requests.length).toBeGreaterThan(1_000);
    const agent = new Agent({ keepAlive: true, maxSockets: 16 });
    const ask = (method: string, path: string) =>
      new Promise<void>((resolve, reject) => {
        const { port } = new URL(other.url);
        const asked = request({ port, host: '127.0.0.1', method, path, agent }, (answer) => {
          answer.resume().once('end', resolve);
        });
        asked.once('error', reject).end();
      });
    await Promise.all(requests.map(({ method, target }, number) => ask(method, `${target}?odd=${number}`)));
    const fields = ['ipPolicies { totalCount }', '__typename', '__schema { description }', 'viewer { account { id } }'];
    for (let number = 0; number < 60; number++) {
      await other.graphql(`query Odd${number} { odd${number}: ${fields[number % fields.length]} }`);
      await other.graphql(`{ odd${number} }`);
    }
    await expect.poll(() => ended).toBe(requests.length + 120);
    // Each route, other requests for its path, the pages, and the requested fields, with at most two status classes each.
    const names = routes.length + paths.length + 2 * pages.length + fields.length + 5;
    expect((await lines()).length).toBeLessThanOrEqual(2 * names);
    const labels = (await lines()).map((line) => /route="([^"]*)"/.exec(line)?.[1] ?? '');
    const known = new Set(methods.filter((method) => /^(GET|POST|PATCH|PUT|DELETE)$/.test(method)));
    expect(labels.filter((label) => /^[A-Z]+ /.test(label) && !known.has(label.split(' ')[0] ?? ''))).toEqual([]);
    expect(labels).toContain('other /ip_policies/{id}');
    const all = (await own.expose()).split('\n').filter((line) => line.startsWith('sallyport_'));
    // A histogram has a line for each bucket, one for values beyond them, a sum and a count.
    expect(all.length).toBeLessThan(names * 18 + 100);
  });
});

test('a client that does not wait for its answer is counted as gone', async () => {
  const before = summaries.length;
  const abort = new AbortController();
  const request = fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' },
    // The body never ends.
    body: new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{"query":')) }),
    duplex: 'half',
    signal: abort.signal,
  } as RequestInit).catch(() => 'gone'); // `duplex` is not in the type of TypeScript's own library
  setTimeout(() => abort.abort(), 200);
  expect(await request).toBe('gone');
  await expect
    .poll(() => summaries.slice(before))
    .toEqual([expect.objectContaining({ status: null, surface: 'graphql' })]);
});

test('host certificates are counted by the days until they end, at most once a minute', async () => {
  const authority = (await service.rest('POST', '/ssh_certificate_authorities', {})).body;
  for (const days of [0.5, 3, 3, 29, 89, 400]) {
    const until = new Date(startTime.getTime() + days * 86_400_000).toISOString();
    const answer = await service.rest('POST', '/ssh_host_certificates', {
      ssh_certificate_authority_id: authority.id,
      public_key: authority.public_key,
      principals: ['a.example.com'],
      valid_after: '2026-01-01T00:00:00Z',
      valid_until: until,
    });
    expect(answer.status).toBe(201);
  }
  const counts = async () =>
    Object.fromEntries(
      (await lines('sallyport_ssh_host_certificates')).map(
        (line) => /days_left="(.*)"\} (\d+)/.exec(line)?.slice(1) ?? [],
      ),
    );
  now = new Date(startTime.getTime() + 61_000);
  expect(await counts()).toEqual({ ended: '0', '0-1': '1', '1-7': '2', '7-30': '1', '30-90': '1', '90+': '1' });
  const name = 'sallyport_ssh_host_certificates_by_authority';
  const numbers = { ended: 0, '0-1': 1, '1-7': 2, '7-30': 1, '30-90': 1, '90+': 1 };
  expect(await lines(name)).toEqual([
    ...Object.entries(numbers).map(
      ([days, count]) => `${name}{authority="${authority.id}",days_left="${days}"} ${count}`,
    ),
    ...Object.keys(numbers).map((days) => `${name}{authority="other",days_left="${days}"} 0`),
  ]);
  now = new Date(now.getTime() + 59_000);
  const scope = service.storage.actingFor((await service.storage.accounts.list())[0]?.id ?? '', commandLine);
  await uproot(scope, 'SshHostCertificate');
  expect((await counts())['90+']).toBe('1');
  now = new Date(startTime.getTime() + 2 * 86_400_000);
  expect((await counts())['90+']).toBe('0');
});

test('a certificate that is replaced is not counted, and few authorities have numbers of their own', async () => {
  const own = await startService();
  onTestFinished(() => own.close());
  const client = await openClient(own.database);
  const [{ id: accountId } = { id: '' }] = await own.storage.accounts.list();
  const same = { accountId, createdAt: startTime, keyType: 'ed25519' };
  const authorities = Array.from({ length: 23 }, (_, n) => `sshca_${String(n).padStart(2, '0')}`);
  for (const [n, id] of authorities.entries()) {
    const publicKey = `key ${n}`;
    await client.sshCertificateAuthority.create({
      data: { ...same, id, publicKey, sealedPrivateKey: new Uint8Array() },
    });
    // The certificates of the last ones end soonest.
    const validUntil = new Date(startTime.getTime() + (n < 3 ? 60 : 5) * 86_400_000);
    const data = [null, 'shcrt_next'].map((replacedById, index) => ({
      ...{
        ...same,
        id: `shcrt_${id}_${index}`,
        sshCertificateAuthorityId: id,
        publicKey,
        principals: [],
        certificate: 'c',
      },
      ...{ validAfter: startTime, validUntil, serial: BigInt(index + 1), replacedById },
    }));
    await client.sshHostCertificate.createMany({ data });
  }
  const [byDays, byAuthority] = sshUpkeep.gauges ?? [];
  const slices: number[] = [];
  const sizes: SliceSizes[] = [];
  const watched: ServerReads = {
    ...own.storage.server,
    slices(given, look) {
      sizes.push(given);
      return own.storage.server.slices(given, async () => {
        const slice = await look(10);
        slices.push(slice.entries);
        return slice;
      });
    },
  };
  const total = await byDays?.count(watched, startTime);
  // Whatever the size of a slice, no statement looks at more rows.
  expect(sizes).toEqual([rowSlices]);
  expect(slices).toEqual([10, 10, 10, 10, 10]);
  expect(total?.filter(({ count }) => count > 0)).toEqual([
    { labels: { days_left: '1-7' }, count: 20 },
    { labels: { days_left: '30-90' }, count: 3 },
  ]);
  const counted = (await byAuthority?.count(own.storage.server, startTime)) ?? [];
  expect(new Set(counted.map(({ labels }) => labels.authority))).toEqual(new Set([...authorities.slice(3), 'other']));
  expect(counted.filter(({ labels, count }) => labels.authority === 'other' && count > 0)).toEqual([
    { labels: { authority: 'other', days_left: '30-90' }, count: 3 },
  ]);
});

test('doctor warns of hosts that are late with their renewal, by authority, and of no others', async () => {
  const own = await startService();
  onTestFinished(() => own.close());
  const authority = (await own.rest('POST', '/ssh_certificate_authorities', { description: 'data centre' })).body;
  const sign = async (days: number, left: number, host = 'a') => {
    const from = startTime.getTime() + (left - days) * 86_400_000;
    const { body } = await own.rest('POST', '/ssh_host_certificates', {
      ...{ ssh_certificate_authority_id: authority.id, public_key: authority.public_key, principals: [host] },
      valid_after: new Date(from).toISOString(),
      valid_until: new Date(startTime.getTime() + left * 86_400_000).toISOString(),
    });
    return body.id;
  };
  const check = async () =>
    (await sshUpkeep.check?.(own.storage.server, startTime))?.find(({ name }) => name === 'certificates');
  expect(await check()).toMatchObject({
    level: 'ok',
    message: 'No host certificate has ended or expires within 30 days.',
  });
  await sign(90, 29);
  const replaced = await sign(90, 3);
  const client = await openClient(own.database);
  await client.sshHostCertificate.update({ where: { id: replaced }, data: { replacedById: 'shcrt_next' } });
  expect(await check()).toEqual({
    ...{ name: 'certificates', level: 'ok', remedy: null },
    message:
      '1 host certificate expiring within 30 days, none of them late: hosts renew in the last third of the time.',
  });
  await sign(90, 14.5, 'late.example.com');
  await sign(365, 20.5, 'later.example.com');
  const remedy = 'Renew them; or enroll their hosts again, which replaces them. Delete those of hosts that are gone.';
  expect(await check()).toEqual({
    ...{ name: 'certificates', level: 'warn', remedy },
    message:
      '2 host certificates late, expiring within 30 days: "late.example.com" in 14 days, "later.example.com" in 20 days. ' +
      'Of these, the authority "data centre" has 2.',
  });
  await sign(90, -40, 'gone.example.com');
  await sign(90, -1.5, 'last.example.com');
  expect((await check())?.message).toBe(
    '2 host certificates ended and not replaced: "last.example.com" 1 day ago, "gone.example.com" 40 days ago; ' +
      '2 host certificates late, expiring within 30 days: "late.example.com" in 14 days, "later.example.com" in 20 days. ' +
      'Of these, the authority "data centre" has 4.',
  );
});

test('a count that fails is told once until it succeeds again, and the last count stays', async () => {
  const failures: unknown[] = [];
  const own = createMetrics({
    version: '1.2.3',
    now: () => now,
    gauges: sshUpkeep.gauges?.slice(0, 1) ?? [],
    reportFailure: (error) => failures.push(error),
  });
  const count = async () => /^sallyport_ssh_host_certificates\{days_left="90\+"\} .*$/m.exec(await own.expose())?.[0];
  const other = await startService();
  own.watch(other.storage.server);
  expect(await count()).toBe('sallyport_ssh_host_certificates{days_left="90+"} 0');
  await other.close();
  now = new Date(now.getTime() + 60_000);
  for (let scrapes = 0; scrapes < 3; scrapes++) {
    expect(await count()).toBe('sallyport_ssh_host_certificates{days_left="90+"} 0');
  }
  expect(failures).toEqual([
    expect.objectContaining({
      code: 'UNAVAILABLE',
      cause: expect.objectContaining({ message: expect.stringContaining('The database has been closed') }),
    }),
  ]);
  own.watch(service.storage.server);
  await own.expose();
  own.watch(other.storage.server);
  now = new Date(now.getTime() + 60_000);
  await own.expose();
  expect(failures.length).toBe(2);
});

test('the page about operation names every metric of ours, and no other', async () => {
  const served = [...(await metrics.expose()).matchAll(/^# TYPE (sallyport_\w+)/gm)].map(([, name]) => name);
  const documented = [...read('docs/operations.md').matchAll(/^\| `(sallyport_\w+)` \|/gm)].map(([, name]) => name);
  const ofPostgres = chooseEngine('postgresql://host/database').gauges.map(({ name }) => name);
  expect(documented.sort()).toEqual([...served, ...ofPostgres].sort());
  expect(await lines('sallyport_build_info')).toEqual([
    `sallyport_build_info{version="1.2.3",node="${process.version}"} 1`,
  ]);
  // Metrics of the runtime: event loop lag, memory and processor time.
  expect(await metrics.expose()).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
  expect(await metrics.expose()).toMatch(/^process_resident_memory_bytes /m);
});

test('scrapes need the token where one is set, and answers tell nothing without it', async () => {
  const endings: RequestSummary[] = [];
  const probes = createProbes({
    metrics,
    version: '1.2.3',
    commit: null,
    metricsToken: 'token-of-the-scraper',
    newRequestId: () => 'op_1',
    requestEnded: (summary) => endings.push(summary),
    reportFailure: expect.fail,
  });
  const server = createServer(probes.listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.');
  const scrape = (headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${address.port}/metrics`, { headers: { ...headers, Connection: 'close' } });
  for (const headers of [{}, { Authorization: 'Bearer token-of-the-scraper-' }, { Authorization: 'Basic dG9rZW4=' }]) {
    const refused = await scrape(headers);
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(await refused.text()).not.toContain('sallyport_');
  }
  const taken = await scrape({ Authorization: 'Bearer token-of-the-scraper' });
  expect([taken.status, taken.headers.get('content-type')]).toEqual([200, metrics.contentType]);
  expect(await taken.text()).toContain('sallyport_ready 0');
  await expect
    .poll(() => endings.map(({ status, errorCode }) => [status, errorCode]))
    .toEqual([
      [401, 'UNAUTHENTICATED'],
      [401, 'UNAUTHENTICATED'],
      [401, 'UNAUTHENTICATED'],
      [200, null],
    ]);
});

test('what a shipped program imports is a dependency at run time', () => {
  const { dependencies } = JSON.parse(read('package.json'));
  const imported = filesBelow('src', '.ts').flatMap((path) =>
    [...read(path).matchAll(/^(?:import|export) (?!type ).*?from '([^'.][^']*)'|^import '([^'.][^']*)'/gms)].map(
      ([, from, bare]) => from ?? bare ?? '',
    ),
  );
  const packages = new Set(
    imported
      .filter((name) => !name.startsWith('node:'))
      .map((name) =>
        name
          .split('/')
          .slice(0, name.startsWith('@') ? 2 : 1)
          .join('/'),
      ),
  );
  expect(packages.size).toBeGreaterThan(10);
  expect([...packages].filter((name) => !(name in dependencies))).toEqual([]);
});
