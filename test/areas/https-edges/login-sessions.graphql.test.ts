// Lists and ends the sessions of users who are logged in at a route.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../../src/storage/sql/statement.ts';
import { dataOf, errorOf } from '../../support/answers.ts';
import { passMs } from '../../support/clocks.ts';
import { execute } from '../../support/database.ts';
import { idpMetadata, persistent, shifted } from '../../support/identity-provider.ts';
import {
  Browser,
  configure,
  host,
  idpKey,
  locationOf,
  makePlace,
  type Place,
  post,
  respond,
} from '../../support/login.ts';
import { ofOneServer, startBeside, startService, startTime, type TestService } from '../../support/service.ts';
import { statementsOf } from '../../support/statements.ts';

let shared: TestService;
let service: TestService;
let place: Place;
beforeAll(async () => {
  shared = ofOneServer(await startService());
});
beforeEach(async () => {
  service = ofOneServer(await shared.asNewAccount());
  place = await makePlace(service);
});

const subjectOf = (user: string, { acs }: Place) =>
  `<saml:Subject><saml:NameID Format="${persistent}">${user}</saml:NameID><saml:SubjectConfirmation ` +
  `Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData NotOnOrAfter="${shifted(startTime, 300)}" ` +
  `Recipient="${acs}"/></saml:SubjectConfirmation></saml:Subject>`;

/** Logs a user in with a new browser. */
async function enter(user = 'amy', at = place): Promise<Browser> {
  const browser = new Browser(service);
  const subject = subjectOf(user, at);
  const brought = await post(service, at, respond(at, null, { subject }));
  expect((await browser.open(at, locationOf(brought))).status).toBe(302);
  return browser;
}
const isIn = async (browser: Browser, at = place) =>
  (await browser.open(at, `https://${host}/app`, 'application/json')).status === 200;
const list = async (client: Pick<TestService, 'graphql'>, args = '', fields = 'user') => {
  const query = `query ($routeId: ID!) { page: loginSessions(routeId: $routeId${args}) {
    totalCount nodes { id ${fields} } edges { cursor node { id } } pageInfo { hasNextPage endCursor } } }`;
  return dataOf(await client.graphql(query, { routeId: place.routeId })).page;
};
const usersOf = async (args = '') => (await list(service, args)).nodes.map(({ user }: { user: string }) => user);
/** Adds copies of the session at the route, each at a host of its own. */
const multiply = (count: number, hostOf: (i: string) => string) =>
  execute(
    service.database,
    `INSERT INTO "LoginSession" ("id", "accountId", "routeId", "version", "tokenHash", "host", "issuer", "userHash", "person",
      "clientAddress", "createdAt", "endsAt", "lastUsedAt")
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      SELECT "id" || i, "accountId", "routeId", 1, "id" || i, ${hostOf('i')}, "issuer", "userHash", "person",
        "clientAddress", "createdAt", "endsAt", "lastUsedAt" FROM "LoginSession", n WHERE "routeId" = '${place.routeId}'`,
  );
const endOne = 'mutation ($id: ID!) { endLoginSession(input: { id: $id }) { endedId } }';
const endAll = `mutation ($routeId: ID!, $user: String, $ids: [ID!]) {
  endLoginSessions(input: { routeId: $routeId, user: $user, ids: $ids }) { endedCount } }`;
const never = (id: string) => id.replace(/_.*/, `_${'0'.repeat(26)}`);

test('sessions that several clients end at once have one event each', async () => {
  for (const user of ['amy', 'bob', 'cleo', 'amy']) await enter(user);
  const ids = (await list(service)).nodes.map(({ id }: { id: string }) => id);
  const { routeId } = place;
  const ended = await Promise.all([
    ...[1, 2, 3].map(() => service.graphql(endAll, { routeId })),
    service.graphql(endAll, { routeId, user: 'amy' }),
  ]);
  const counts = ended.map((answer) => dataOf(answer).endLoginSessions.endedCount);
  expect(counts.reduce((sum: number, count: number) => sum + count, 0)).toBe(4);
  const { auditEvents } = dataOf(
    await service.graphql(
      '{ auditEvents(kind: "LoginSession", action: delete) { nodes { action objectId version } } }',
    ),
  );
  expect(new Set(auditEvents.nodes.map(({ objectId }: { objectId: string }) => objectId))).toEqual(new Set(ids));
  expect(auditEvents.nodes).toEqual(
    ids.map(() => ({ action: 'delete', objectId: expect.stringMatching(/^sess_/), version: 2 })),
  );
});

describe('sessions of a route', () => {
  const query = `query ($edgeId: ID!, $first: Int, $after: ID) { httpsEdgeRoutes(edgeId: $edgeId) { nodes { match
    loginSessions(first: $first, after: $after) { totalCount nodes { user } pageInfo { hasNextPage endCursor } } } } }`;

  test('are a list of it, with the pages of loginSessions', async () => {
    const { edgeId } = place;
    await service.rest('POST', `/edges/https/${edgeId}/routes`, { match_type: 'path_prefix', match: '/open' });
    for (const user of ['amy', 'bob', 'cleo']) await enter(user);
    const open = {
      match: '/open',
      loginSessions: { totalCount: 0, nodes: [], pageInfo: { hasNextPage: false, endCursor: null } },
    };
    const firstTwo = dataOf(await service.graphql(query, { edgeId, first: 2 })).httpsEdgeRoutes.nodes;
    const { endCursor } = firstTwo[1].loginSessions.pageInfo;
    expect(firstTwo).toEqual([
      open,
      {
        match: '/app',
        loginSessions: {
          totalCount: 3,
          nodes: [{ user: 'cleo' }, { user: 'bob' }],
          pageInfo: { hasNextPage: true, endCursor },
        },
      },
    ]);
    const rest = dataOf(await service.graphql(query, { edgeId, first: 2, after: endCursor })).httpsEdgeRoutes.nodes;
    expect(rest[1].loginSessions.nodes).toEqual([{ user: 'amy' }]);
  });

  test('are searched and put in order as loginSessions are, and a page of one order does not go on in another', async () => {
    const { edgeId } = place;
    for (const user of ['amy', 'bob', 'cleo']) await enter(user);
    const ask = `query ($edgeId: ID!, $after: ID, $search: String, $orderBy: SessionOrder) { httpsEdgeRoutes(edgeId: $edgeId, first: 2) { nodes {
      loginSessions(first: 2, after: $after, search: $search, orderBy: $orderBy) {
        totalCount searchedInPart nodes { user } pageInfo { endCursor } } } } }`;
    const sessions = async (variables: object) =>
      dataOf(await service.graphql(ask, { edgeId, ...variables })).httpsEdgeRoutes.nodes.at(-1).loginSessions;
    expect(await sessions({ search: 'BO' })).toMatchObject({
      totalCount: 1,
      searchedInPart: false,
      nodes: [{ user: 'bob' }],
    });
    const oldest = await sessions({ orderBy: 'created_at_asc' });
    expect(oldest).toMatchObject({ totalCount: 3, nodes: [{ user: 'amy' }, { user: 'bob' }] });
    const after = oldest.pageInfo.endCursor;
    expect((await sessions({ orderBy: 'created_at_asc', after })).nodes).toEqual([{ user: 'cleo' }]);
    const refusal = async (variables: object) => errorOf(await service.graphql(ask, { edgeId, ...variables }));
    expect(await refusal({ orderBy: 'last_used_at_asc', after })).toMatchObject({
      code: 'INVALID_INPUT',
      field: 'after',
    });
    expect(await refusal({ search: '' })).toMatchObject({ code: 'INVALID_INPUT', field: 'search' });
  });

  test('are refused for pages of a wrong size, and cursors of another list', async () => {
    const { edgeId } = place;
    const refusal = async (variables: object) =>
      errorOf(await service.graphql(query, { edgeId, ...variables }))?.message;
    expect(await refusal({ first: 0 })).toBe('first: must be from 1 to 100.');
    expect(await refusal({ first: 1, after: place.routeId })).toBe(
      'after: must be a cursor from an earlier page of this list.',
    );
  });
});

describe('loginSessions', () => {
  test('shows who is logged in, from where, since when and how long, and no secret', async () => {
    await enter();
    const fields = `routeId host user email name groups issuer clientAddress createdAt lastUsedAt endsAt active __typename`;
    const { nodes, totalCount } = await list(service, '', fields);
    expect(totalCount).toBe(1);
    expect(nodes).toEqual([
      {
        __typename: 'LoginSession',
        id: expect.stringMatching(/^sess_/),
        routeId: place.routeId,
        host: `${host}:443`,
        user: 'amy',
        email: 'amy@example.com',
        name: null,
        groups: ['staff', 'admins'],
        issuer: 'https://idp.example.com/metadata',
        clientAddress: '203.0.113.7',
        createdAt: '2026-11-20T21:00:00Z',
        lastUsedAt: '2026-11-20T21:00:00Z',
        endsAt: '2026-11-21T05:00:00Z',
        active: true,
      },
    ]);
    const node = 'query ($id: ID!) { node(id: $id) { id ... on LoginSession { user } } }';
    expect(dataOf(await service.graphql(node, { id: nodes[0].id })).node).toEqual({ id: nodes[0].id, user: 'amy' });
    const secrets = `{ __type(name: "LoginSession") { fields { name } } }`;
    const names = dataOf(await service.graphql(secrets)).__type.fields.map(({ name }: { name: string }) => name);
    expect(names.filter((name: string) => /token|hash|person|index/i.test(name))).toEqual([]);
  });

  test('are in the order of their logins and of their last uses, from either side', async () => {
    const browsers: Browser[] = [];
    const at = (minutes: number) => shared.setTime(new Date(startTime.getTime() + minutes * 60_000));
    for (const [index, user] of ['amy', 'bob', 'cleo'].entries()) {
      at(index);
      browsers.push(await enter(user));
    }
    // The first to log in is the last to be seen, and bob is never seen again.
    for (const [minutes, browser] of [
      [20, browsers[2]],
      [30, browsers[0]],
    ] as const) {
      at(minutes);
      if (browser !== undefined) expect(await isIn(browser)).toBe(true);
    }
    await expect.poll(() => usersOf(', orderBy: last_used_at_desc')).toEqual(['amy', 'cleo', 'bob']);
    expect(await usersOf(', orderBy: last_used_at_asc')).toEqual(['bob', 'cleo', 'amy']);
    expect(await usersOf(', orderBy: created_at_asc')).toEqual(['amy', 'bob', 'cleo']);
    expect(await usersOf(', orderBy: created_at_desc')).toEqual(['cleo', 'bob', 'amy']);
    const first = await list(service, ', orderBy: last_used_at_desc, first: 2');
    const after = `, orderBy: last_used_at_desc, after: "${first.pageInfo.endCursor}"`;
    expect([first.pageInfo.hasNextPage, await usersOf(after)]).toEqual([true, ['bob']]);
    expect(await usersOf(', orderBy: last_used_at_asc, user: "amy"')).toEqual(['amy']);
    const mixed = `query ($routeId: ID!) { loginSessions(routeId: $routeId, orderBy: created_at_asc, after: "${first.pageInfo.endCursor}") { totalCount } }`;
    expect(errorOf(await service.graphql(mixed, { routeId: place.routeId }))).toMatchObject({
      code: 'INVALID_INPUT',
      field: 'after',
    });
  });

  test('are found by their users, hosts and addresses, and not by how that is stored', async () => {
    for (const user of ['cleo', 'Bob "the builder"', 'zoë', 'CORP\\amy', 'a, b']) await enter(user);
    const found = async (search: string) => {
      const query = `query ($routeId: ID!, $search: String) { page: loginSessions(routeId: $routeId, search: $search) {
        totalCount searchedInPart nodes { user } } }`;
      const { page } = dataOf(await service.graphql(query, { routeId: place.routeId, search }));
      expect([page.totalCount, page.searchedInPart]).toEqual([page.nodes.length, false]);
      return page.nodes.map(({ user }: { user: string }) => user);
    };
    const all = ['a, b', 'CORP\\amy', 'zoë', 'Bob "the builder"', 'cleo'];
    expect(await found('CLE')).toEqual(['cleo']);
    expect(await found('the build')).toEqual(['Bob "the builder"']);
    expect(await found('zoë')).toEqual(['zoë']);
    expect(await found('bob "The')).toEqual(['Bob "the builder"']);
    expect(await found('corp\\A')).toEqual(['CORP\\amy']);
    expect(await found(', ')).toEqual(['a, b']);
    for (const common of ['amy@example', 'STAFF', host, 'idp.example.com', '203.0.113.', 'sess_']) {
      expect([common, await found(common)]).toEqual([common, all]);
    }
    // Names of stored fields, and stored values that no answer shows.
    for (const stored of ['groups', 'nameId', 'sessionEndsAt', 'null', '","', persistent]) {
      expect([stored, await found(stored)]).toEqual([stored, []]);
    }
    const empty = `query ($routeId: ID!) { loginSessions(routeId: $routeId, search: "") { totalCount } }`;
    expect(errorOf(await service.graphql(empty, { routeId: place.routeId }))).toEqual({
      code: 'INVALID_INPUT',
      field: 'search',
      message: 'search: must not be empty.',
    });
  });

  test('tells the end by the settings as they are now, and what has ended', async () => {
    await enter();
    await configure(service, place, { maximum_duration: 3_600, inactivity_timeout: 600 });
    const told = async () =>
      (await list(service, '', 'endsAt active')).nodes.map(
        ({ endsAt, active }: { endsAt: string; active: boolean }) => [endsAt, active],
      );
    expect(await told()).toEqual([['2026-11-20T21:10:00Z', true]]);
    await configure(service, place, { maximum_duration: 300 });
    expect(await told()).toEqual([['2026-11-20T21:05:00Z', true]]);
    shared.setTime(new Date(startTime.getTime() + 300_000));
    expect(await told()).toEqual([['2026-11-20T21:05:00Z', false]]);
    shared.setTime(startTime);
    const other = idpMetadata([idpKey]).replace('idp.example.com/metadata', 'other.example');
    await configure(service, place, { idp_metadata: other });
    // The session of a former identity provider does not come back with its metadata.
    expect(await told()).toEqual([]);
  });

  test('tells when a session was last used, to within five minutes', async () => {
    const browser = await enter();
    const usedAt = async (seconds: number) => {
      shared.setTime(new Date(startTime.getTime() + seconds * 1000));
      await isIn(browser);
      const read = async () => (await list(service, '', 'lastUsedAt')).nodes[0].lastUsedAt;
      return read();
    };
    expect(await usedAt(299)).toBe('2026-11-20T21:00:00Z');
    await usedAt(300);
    await expect
      .poll(async () => (await list(service, '', 'lastUsedAt')).nodes[0].lastUsedAt)
      .toBe('2026-11-20T21:05:00Z');
    shared.setTime(startTime);
  });

  test('pages from the newest to the oldest, of all users or of one', async () => {
    for (const user of ['amy', 'ben', 'amy', 'cyd']) await enter(user);
    expect(await usersOf()).toEqual(['cyd', 'amy', 'ben', 'amy']);
    expect(await usersOf(', user: "amy"')).toEqual(['amy', 'amy']);
    expect(await usersOf(', user: "am"')).toEqual([]);
    const first = await list(service, ', first: 3');
    expect([first.totalCount, first.nodes.length, first.pageInfo.hasNextPage]).toEqual([4, 3, true]);
    expect(first.edges.map(({ node }: { node: { id: string } }) => node.id)).toEqual(
      first.nodes.map(({ id }: { id: string }) => id),
    );
    expect(await usersOf(`, first: 3, after: "${first.pageInfo.endCursor}"`)).toEqual(['amy']);
    expect(await usersOf(', last: 2')).toEqual(['ben', 'amy']);
    const query = 'query ($routeId: ID!) { loginSessions(routeId: $routeId, first: 101) { totalCount } }';
    expect(errorOf(await service.graphql(query, { routeId: place.routeId }))?.message).toBe(
      'first: must be from 1 to 100.',
    );
  });
});

describe('endLoginSession', () => {
  test('ends one session with its very next request, and no other', async () => {
    const [first, second] = [await enter(), await enter()];
    expect([await isIn(first), await isIn(second)]).toEqual([true, true]);
    const [{ id }] = (await list(service)).nodes;
    expect(dataOf(await service.graphql(endOne, { id }))).toEqual({ endLoginSession: { endedId: id } });
    expect([await isIn(first), await isIn(second)]).toEqual([true, false]);
    expect(errorOf(await service.graphql(endOne, { id }))?.code).toBe('NOT_FOUND');
  });
});

test('endLoginSession ends logins of the user as well that wait for their browsers, and those of nobody else', async () => {
  await enter();
  const waiting = async (user: string) => {
    const browser = new Browser(service);
    return {
      browser,
      ticket: locationOf(await post(service, place, respond(place, null, { subject: subjectOf(user, place) }))),
    };
  };
  const [amy, bob] = [await waiting('amy'), await waiting('bob')];
  const [{ id }] = (await list(service)).nodes;
  expect(dataOf(await service.graphql(endOne, { id })).endLoginSession).toEqual({ endedId: id });
  expect((await amy.browser.open(place, amy.ticket)).status).toBe(403);
  expect((await bob.browser.open(place, bob.ticket)).status).toBe(302);
});

describe('endLoginSessions', () => {
  test('ends all sessions of a route, or those of a user, with their very next requests', async () => {
    const elsewhere = await makePlace(service);
    const browsers = [await enter('amy'), await enter('amy'), await enter('ben')];
    const other = await enter('amy', elsewhere);
    const all = async () => [
      ...(await Promise.all(browsers.map((browser) => isIn(browser)))),
      await isIn(other, elsewhere),
    ];
    expect(await all()).toEqual([true, true, true, true]);
    const end = async (user?: string) =>
      dataOf(await service.graphql(endAll, { routeId: place.routeId, user })).endLoginSessions.endedCount;
    expect(await end('AMY')).toBe(0);
    expect(await end('amy')).toBe(2);
    expect(await all()).toEqual([false, false, true, true]);
    expect(await end()).toBe(1);
    expect(await all()).toEqual([false, false, false, true]);
    expect(await end()).toBe(0);
  });

  test('ends the sessions that it names, at this route alone, and passes over those that have ended', async () => {
    const elsewhere = await makePlace(service);
    const browsers = [await enter('amy'), await enter('amy'), await enter('ben')];
    const ids = (await list(service)).nodes.map(({ id }: { id: string }) => id);
    const end = async (routeId: string, ...named: string[]) =>
      dataOf(await service.graphql(endAll, { routeId, ids: named })).endLoginSessions.endedCount;
    expect(await end(elsewhere.routeId, ...ids)).toBe(0);
    expect(await end(place.routeId, ids[0], ids[2], never(ids[0]))).toBe(2);
    expect(await Promise.all(browsers.map((browser) => isIn(browser)))).toEqual([false, true, false]);
  });

  test('ends logins as well whose browsers have not come for their sessions yet', async () => {
    const ticket = async () => locationOf(await post(service, place, respond(place, null)));
    const admitted = async (at: string) => (await new Browser(service).open(place, at)).status === 302;
    const [ofAll, ofOne] = [await ticket(), await ticket()];
    await service.graphql(endAll, { routeId: place.routeId, user: 'somebody else' });
    expect(await admitted(ofAll)).toBe(true);
    await service.graphql(endAll, { routeId: place.routeId, user: 'amy' });
    expect(await admitted(ofOne)).toBe(false);
    const last = await ticket();
    await service.graphql(endAll, { routeId: place.routeId });
    expect(await admitted(last)).toBe(false);
  });

  test('counts on another server within a second', async () => {
    const browser = await enter();
    const beside = await startBeside(shared);
    const there = new Browser({ ...beside, url: beside.url });
    for (const [name, value] of browser.cookies) there.cookies.set(name, value);
    expect(await isIn(there)).toBe(true);
    await service.graphql(endAll, { routeId: place.routeId });
    await passMs(1_000);
    expect(await isIn(there)).toBe(false);
    await beside.close();
  });
});

describe('a host that is taken off an edge', () => {
  const setHosts = async (hostports: string[]) =>
    expect((await service.rest('PATCH', `/edges/https/${place.edgeId}`, { hostports })).status).toBe(200);

  test('ends the sessions there alone, however many hosts a wildcard stood for', async () => {
    await setHosts([`${host}:443`, '*.b.example.com:443']);
    await enter();
    await multiply(250, (i) => `'x' || ${i} || '.b.example.com:443'`);
    const sessions = async () => (await list(service)).totalCount;
    expect(await sessions()).toBe(251);
    await setHosts([`${host}:443`]);
    expect(await sessions()).toBe(1);
    const added = await statementsOf(service, () => setHosts([`${host}:443`]));
    expect(added.filter((statement) => statement.includes('LoginSession'))).toEqual([]);
  });

  test('ends them before it is put back, if the change was cut off', async () => {
    await enter();
    await service.storage.server.change(sql`UPDATE "HttpsEdge" SET "hostports" = '[]' WHERE "id" = ${place.edgeId}`);
    await setHosts([`${host}:443`]);
    expect((await list(service)).totalCount).toBe(0);
  });
});

describe('more sessions than go along with their module in one statement', () => {
  test.each([
    // One more: those that began meanwhile go along with the module.
    ['the module', 12, () => `/edges/https/${place.edgeId}/routes/${place.routeId}/saml`],
    ['the route', 11, () => `/edges/https/${place.edgeId}/routes/${place.routeId}`],
    ['the edge', 11, () => `/edges/https/${place.edgeId}`],
  ])('end in steps before %s is deleted, if it may be', async (_what, stepsMax, pathOf) => {
    await enter();
    await multiply(1_000, () => '"host"');
    const refused = await service.rest('DELETE', pathOf(), undefined, { 'If-Match': '"999"' });
    expect(refused.status).toBe(412);
    expect((await list(service)).totalCount).toBe(1_001);
    const statements = await statementsOf(service, async () => {
      expect((await service.rest('DELETE', pathOf())).status).toBe(204);
    });
    const steps = statements.filter((statement) => /DELETE FROM .*"?LoginSession"?/.test(statement));
    expect(steps.length).toBe(stepsMax);
  });
});

describe('another account', () => {
  test('gets the answer of what never was, and ends nothing', async () => {
    const browser = await enter();
    const [{ id }] = (await list(service)).nodes;
    const stranger = await service.otherAccount('stranger');
    const answersTo = async (routeId: string, sessionId: string) => {
      const answers = [
        await stranger.graphql('query ($routeId: ID!) { loginSessions(routeId: $routeId) { totalCount } }', {
          routeId,
        }),
        await stranger.graphql('query ($id: ID!) { node(id: $id) { id } }', { id: sessionId }),
        await stranger.graphql(endOne, { id: sessionId }),
        await stranger.graphql(endAll, { routeId }),
      ];
      return JSON.parse(JSON.stringify(answers).replaceAll(routeId, 'ROUTE').replaceAll(sessionId, 'SESSION'));
    };
    const foreign = await answersTo(place.routeId, id);
    expect(foreign).toEqual(await answersTo(never(place.routeId), never(id)));
    const codes = foreign.map(
      ({ errors }: { errors?: { extensions: { code: string } }[] }) => errors?.[0]?.extensions.code,
    );
    expect(codes).toEqual(['NOT_FOUND', undefined, 'NOT_FOUND', 'NOT_FOUND']);
    expect(await isIn(browser)).toBe(true);
  });
});
