// The list of the routes of an HTTPS edge, on both surfaces.

import { beforeAll, describe, expect, test } from 'vitest';
import { dataOf, errorOf, successOf } from '../../support/answers.ts';
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

test('an edge has at most a hundred routes', async () => {
  const own = `/edges/https/${(await service.rest('POST', '/edges/https', {})).body.id}/routes`;
  const add = (match: string) => service.rest('POST', own, { match_type: 'exact_path', match });
  for (let number = 0; number < 100; number += 1) expect((await add(`/${number}`)).status).toBe(201);
  const { status, body } = await add('/more');
  expect([status, body.error_code, body.msg]).toEqual([
    400,
    'INVALID_INPUT',
    'edge_id: names an edge that already has 100 routes, the maximum.',
  ]);
});

describe('GET /edges/https/{edge_id}/routes', () => {
  test('lists the routes of that edge alone as they are read one by one, newest first', async () => {
    expect(successOf(await service.rest('GET', path))).toEqual({
      status: 200,
      etag: null,
      body: { routes, uri: url, next_page_uri: null },
    });
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
