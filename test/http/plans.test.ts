// Documents are executed by plans, and answered byte for byte like GraphQL.js answers them.

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { kinds } from '../../src/domain/values/ids.ts';
import { routes } from '../../src/surfaces/rest/routes.ts';
import { copyRows, execute, noTime } from '../support/database.ts';
import { startService, type TestService } from '../support/service.ts';
import { restHeaders, send } from './wire.ts';
import { createWorld, fillPath, type IdOf, nameOf, neverId } from './world.ts';

// An export is read from a draft, and is no list.
const reads = routes.filter(({ method, path }) => method === 'GET' && path !== '/configuration');

/** Two services with the same rows, only one of which executes by plans. */
interface Twins {
  readonly planned: TestService;
  readonly unplanned: TestService;
  readonly ids: IdOf;
}

/** Starts both services, and copies the rows of the first to the second, because they would otherwise have different fresh keys. */
async function startTwins(): Promise<Twins & { close: () => Promise<void> }> {
  const planned = await startService({ usePlans: true });
  const unplanned = await startService({ usePlans: false });
  const ids = await createWorld(planned);
  await copyRows(planned.database, unplanned.database);
  return {
    planned,
    unplanned,
    ids,
    close: async () => {
      await Promise.all([planned.close(), unplanned.close()]);
    },
  };
}

/** Sends the same request to both services several times, and returns the answer that they share. */
async function same({ planned, unplanned }: Twins, path: string): Promise<{ status: number; text: string }> {
  const ask = async ({ url }: TestService) => {
    const { status, headers, bytes } = await send(url, path, { headers: restHeaders(planned).headers });
    // Each answer has a different request id.
    const { date: _date, 'x-request-id': requestId = '', ...others } = headers;
    return { status, headers: others, text: bytes.toString().replaceAll(String(requestId), 'op_') };
  };
  const answer = await ask(planned);
  for (let round = 0; round < 3; round++) {
    expect({ path, ...(await ask(planned)) }).toEqual({ path, ...answer });
    expect({ path, ...(await ask(unplanned)) }).toEqual({ path, ...answer });
  }
  return answer;
}

describe('a document of a route', () => {
  let twins: Twins & { close: () => Promise<void> };
  beforeAll(async () => {
    twins = await startTwins();
  });
  afterAll(() => twins.close());

  test.each(reads.map((route) => [nameOf(route), route.path] as const))('answers %s alike', async (_name, path) => {
    expect((await same(twins, fillPath(path, twins.ids))).status).toBe(200);
    if (path.includes('{')) {
      expect((await same(twins, fillPath(path, neverId(twins.ids)))).status).toBe(404);
      return;
    }
    const { text } = await same(twins, `${path}?limit=1`);
    // Even entries without an id have a cursor.
    const [, place = ''] = /"id":"([^"]+)"/.exec(text) ?? /before_id=([^"&]+)/.exec(text) ?? [];
    for (const query of ['', `?before_id=${place}`, `?limit=1&before_id=${place}`]) {
      expect((await same(twins, path + query)).status).toBe(200);
    }
    for (const query of ['?limit=0', '?limit=101', '?limit=x', '?before_id=x', '?nope=1']) {
      expect((await same(twins, path + query)).status).toBe(400);
    }
  });

  test('masks what a row holds that cannot be shown', async () => {
    const own = await startTwins();
    onTestFinished(own.close);
    const paths = reads.map(({ path }) => path);
    const tables = Object.entries(kinds).flatMap(([kind, of]) => ('path' in of && paths.includes(of.path) ? kind : []));
    const damage = [
      ...tables.map((table) => `UPDATE "${table}" SET "createdAt" = '${noTime()}'`),
      `UPDATE "SshRevocation" SET "revokedAt" = '${noTime()}'`,
    ];
    for (const { database } of [own.planned, own.unplanned]) await execute(database, ...damage);
    const shown: string[] = [];
    for (const path of paths) {
      const { status } = await same(own, fillPath(path, own.ids));
      if (status !== 500) shown.push(`${status} ${path}`);
    }
    // These answers contain no time.
    expect(shown).toEqual([
      '200 /edges/https/{edge_id}/routes',
      '200 /edges/https/{edge_id}/routes/{id}',
      '200 /edges/https/{edge_id}/routes/{id}/saml',
      '200 /edges/https/{edge_id}/routes/{id}/saml/keys',
      '200 /edges/https/{edge_id}/routes/{id}/oidc',
      '200 /edges/https/{edge_id}/routes/{id}/ip_restriction',
      '200 /edges/https/{edge_id}/routes/{id}/backend',
      '200 /edges/tls/{id}/backend',
      '200 /edges/tls/{id}/policy',
      '200 /edges/tls/{id}/ip_restriction',
      '200 /webhooks/{id}/deliveries',
    ]);
    expect(own.planned.failures.length).toBeGreaterThan(0);
  });

  test('answers that the storage is gone', async () => {
    const own = await startTwins();
    onTestFinished(own.close);
    // From here on, both services have the key in memory.
    await same(own, '/ip_policies');
    for (const { storage } of [own.planned, own.unplanned]) await storage.close();
    for (const { path } of reads) {
      expect((await same(own, fillPath(path, own.ids))).status).toBe(503);
    }
  });
});

describe('a document of a client is data and no program', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  // A compiler of documents took such text for a date or a number, and wrote it into its program (graphql-jit 0.8.9).
  test.each([
    '__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74dglobalThis.ranByClient = true',
    '__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74d)(',
    '__MAGIC_NAN__33a9e76d_02e0_4128_8e92_3530ad3da74d',
  ])('also with %s in it', async (text) => {
    const create = `mutation { createIpPolicy(input: { description: "${text}" }) { ipPolicy { description } } }`;
    for (let round = 0; round < 5; round++) {
      expect((await service.graphql(create)).data).toEqual({ createIpPolicy: { ipPolicy: { description: text } } });
    }
    expect(globalThis).not.toHaveProperty('ranByClient');
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then', 'toJSON', 'valueOf', 'data', 'errors'])(
    'also where it names its answers %s',
    async (name) => {
      const query = `{ ${name}: ipPolicies(first: 1, search: "');globalThis.ranByClient=1;('") {
        ${name}: totalCount ...${name} nodes { ${name}: id }
      } } fragment ${name} on IpPolicyConnection { uri }`;
      for (let round = 0; round < 5; round++) {
        const { bytes } = await send(service.url, '/graphql', {
          method: 'POST',
          headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ query }),
        });
        expect(bytes.toString()).toBe(
          `{"data":{"${name}":{"${name}":0,"uri":"https://sallyport.test/ip_policies","nodes":[]}}}`,
        );
      }
      expect(Object.keys(Object.prototype)).toEqual([]);
      expect(globalThis).not.toHaveProperty('ranByClient');
    },
  );

  test('and its changes go on after one that failed', async () => {
    const before = (await service.graphql('{ ipPolicies { totalCount } }')).data.ipPolicies.totalCount;
    const changes = `mutation {
      a: updateIpPolicy(input: { id: "ipp_00000000000000000000000000", description: "a" }) { ipPolicy { id } }
      b: createIpPolicy(input: { description: "b" }) { ipPolicy { id } }
    }`;
    for (let round = 0; round < 5; round++) {
      const b = { ipPolicy: { id: expect.stringMatching(/^ipp_/) } };
      expect((await service.graphql(changes)).data).toEqual({ a: null, b });
    }
    expect((await service.graphql('{ ipPolicies { totalCount } }')).data.ipPolicies.totalCount).toBe(before + 5);
  });
});
