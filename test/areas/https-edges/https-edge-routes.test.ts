// The list of the routes of an HTTPS edge, on both surfaces.

import { beforeAll, describe, expect, test } from 'vitest';
import { dataOf, errorOf, failureOf, invalidField, successOf } from '../../support/answers.ts';
import { startService, type TestService } from '../../support/service.ts';

let service: TestService;
let edgeId: string;
let path: string;
let url: string;
/** The routes of the edge, read one by one, newest first. */
const routes: { id: string }[] = [];

beforeAll(async () => {
  service = await startService();
  const other = (await service.rest('POST', '/edges/https', {})).body.id;
  edgeId = (await service.rest('POST', '/edges/https', {})).body.id;
  path = `/edges/https/${edgeId}/routes`;
  url = `https://sallyport.test${path}`;
  for (const match of ['/a', '/b', '/c']) {
    await service.rest('POST', `/edges/https/${other}/routes`, { match_type: 'exact_path', match });
    const { id } = (await service.rest('POST', path, { match_type: 'path_prefix', match })).body;
    routes.unshift((await service.rest('GET', `${path}/${id}`)).body);
  }
});

describe('GET /edges/https/{edge_id}/routes', () => {
  test('lists the routes of that edge alone as they are read one by one, newest first', async () => {
    expect(successOf(await service.rest('GET', path))).toEqual({
      status: 200,
      etag: null,
      body: { routes, uri: url, next_page_uri: null },
    });
  });

  test('leads from page to page', async () => {
    const next = `${url}?limit=2&before_id=${routes[1]?.id}`;
    expect((await service.rest('GET', `${path}?limit=2`)).body).toEqual({
      routes: routes.slice(0, 2),
      uri: url,
      next_page_uri: next,
    });
    expect((await service.rest('GET', next.slice('https://sallyport.test'.length))).body).toEqual({
      routes: routes.slice(2),
      uri: url,
      next_page_uri: null,
    });
  });

  test('is empty for an edge without routes', async () => {
    const { id, uri } = (await service.rest('POST', '/edges/https', {})).body;
    expect((await service.rest('GET', `/edges/https/${id}/routes`)).body).toEqual({
      routes: [],
      uri: `${uri}/routes`,
      next_page_uri: null,
    });
  });

  test.each([
    ['limit=0', 'limit', 'must be from 1 to 100.'],
    ['limit=101', 'limit', 'must be from 1 to 100.'],
    ['before_id=edghts_00000000000000000000000000', 'before_id', 'must be a cursor from an earlier page of this list.'],
  ])('refuses ?%s', async (query, field, problem) => {
    expect(failureOf(await service.rest('GET', `${path}?${query}`))).toEqual(invalidField(field, problem));
  });

  test('costs as many statements for many routes as for one', async () => {
    const statementsFor = async (query: string) => {
      service.statements.length = 0;
      await service.rest('GET', `${path}?${query}`);
      return service.statements.filter((sql) => /Https|Saml/.test(sql)).length;
    };
    expect(await statementsFor('limit=3')).toBe(await statementsFor('limit=1'));
  });
});

describe('httpsEdgeRoutes', () => {
  const query = `query ($edgeId: ID!, $first: Int, $last: Int, $after: ID, $before: ID) {
    httpsEdgeRoutes(edgeId: $edgeId, first: $first, last: $last, after: $after, before: $before) {
      nodes { id }
      edges { cursor node { id edge { id } } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      totalCount
      uri
      nextPageUri
    }
  }`;

  test('is a Relay connection that begins with the newest route', async () => {
    const [newest, middle, oldest] = routes.map(({ id }) => id);
    const edge = (id: string | undefined) => ({ cursor: id, node: { id, edge: { id: edgeId } } });
    const list = { totalCount: 3, uri: url };
    expect(dataOf(await service.graphql(query, { edgeId, first: 2 })).httpsEdgeRoutes).toEqual({
      ...list,
      nodes: [{ id: newest }, { id: middle }],
      edges: [edge(newest), edge(middle)],
      pageInfo: { hasNextPage: true, hasPreviousPage: false, startCursor: newest, endCursor: middle },
      nextPageUri: `${url}?limit=2&before_id=${middle}`,
    });
    expect(dataOf(await service.graphql(query, { edgeId, last: 1 })).httpsEdgeRoutes).toEqual({
      ...list,
      nodes: [{ id: oldest }],
      edges: [edge(oldest)],
      pageInfo: { hasNextPage: false, hasPreviousPage: true, startCursor: oldest, endCursor: oldest },
      nextPageUri: null,
    });
    const between = dataOf(await service.graphql(query, { edgeId, after: newest, before: oldest })).httpsEdgeRoutes;
    expect(between.nodes).toEqual([{ id: middle }]);
  });
});

test('the routes of an edge are sorted and searched, and REST has neither', async () => {
  const account = await service.asNewAccount();
  const edge = (await account.rest('POST', '/edges/https', {})).body.id;
  const ids: string[] = [];
  for (const [second, [match, description]] of [
    ['/shop', 'for customers'],
    ['/Shop/admin', ''],
    ['/api', 'of the shop'],
  ].entries()) {
    account.setTime(new Date(Date.UTC(2026, 10, 21, 0, 0, second)));
    const body = { match_type: 'path_prefix', match, description };
    ids.push((await account.rest('POST', `/edges/https/${edge}/routes`, body)).body.id);
  }
  account.setTime(new Date(Date.UTC(2026, 10, 22)));
  await account.rest('PATCH', `/edges/https/${edge}/routes/${ids[1]}`, { metadata: 'changed' });
  const found = async (args: string) => {
    const query = `{ list: httpsEdgeRoutes(edgeId: "${edge}", ${args}) { totalCount nextPageUri nodes { id } } }`;
    const { totalCount, nextPageUri, nodes } = dataOf(await account.graphql(query)).list;
    return [totalCount, nextPageUri, ...nodes.map(({ id }: { id: string }) => ids.indexOf(id))];
  };
  expect(await found('orderBy: updated_at_desc')).toEqual([3, null, 1, 2, 0]);
  expect(await found('orderBy: updated_at_asc, first: 2')).toEqual([3, null, 0, 2]);
  expect(await found('orderBy: created_at_asc, first: 2')).toEqual([3, null, 0, 1]);
  expect(await found('search: "/shop"')).toEqual([2, null, 1, 0]);
  expect(await found('search: "SHOP", orderBy: updated_at_desc')).toEqual([3, null, 1, 2, 0]);
  expect(await found('search: "nowhere"')).toEqual([0, null]);
  const empty = await account.graphql(`{ httpsEdgeRoutes(edgeId: "${edge}", search: "") { totalCount } }`);
  expect(errorOf(empty)).toEqual({ code: 'INVALID_INPUT', field: 'search', message: 'search: must not be empty.' });
});
