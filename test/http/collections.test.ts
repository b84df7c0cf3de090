// Every collection keeps the promises that all collections share, over REST and as a connection in GraphQL. The code that reads a
// request is the same for all: rest-requests.test.ts and graphql-requests.test.ts try it on one collection. What another account sees
// of them is in isolation.test.ts.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dataOf, failureOf, invalidField, notFound, successOf } from '../support/answers.ts';
import { collections } from '../support/area-samples.ts';
import { onOneEngine } from '../support/one-engine.ts';
import { baseUrl, startService, type TestService } from '../support/service.ts';
import { countStatements } from '../support/statements.ts';
import { creations } from './world.ts';

test('every route that creates belongs to a collection of an area, in its samples.ts', () => {
  const created = creations.filter(({ method }) => method === 'POST').map(({ path }) => path);
  expect(collections.map(({ path }) => path).sort()).toEqual(created.sort());
});

describe.each(collections)('$path', (collection) => {
  const { listField, connection, createFields, updateFields, filters = [], objectsAtStart } = collection;
  let service: TestService;
  /** The path of the collection in the account of all these tests. */
  let path: string;
  beforeAll(async () => {
    service = await (await sharedService()).asNewAccount();
    path = (await collection.placeOf?.(service)) ?? collection.path;
  });

  const create = async (notes: object = {}) => {
    const { status, body } = await service.rest('POST', path, { ...(await collection.required(service)), ...notes });
    expect([status, body]).toEqual([201, body]);
    return body;
  };
  const read = async (id: string) => successOf(await service.rest('GET', `${path}/${id}`));
  const pageOf = async (query = '') => {
    const { status, etag, body } = successOf(await service.rest('GET', `${path}${query}`));
    expect({ status, etag, uri: body.uri }).toEqual({ status: 200, etag: null, uri: `${baseUrl}${path}` });
    return { objects: body[listField], next: body.next_page_uri };
  };
  const idsOf = (objects: { id: string }[]) => objects.map(({ id }) => id);

  test('an object is created, read, listed, changed by its version and deleted', async () => {
    const notes = { description: `${'😀'.repeat(63)}abc`, metadata: `${'€'.repeat(1365)}a` };
    const created = await create(notes);
    const { id } = created;
    expect(created).toMatchObject(notes);
    const hidden = Object.fromEntries((collection.shownOnce ?? []).map((name) => [name, null]));
    const before = await read(id);
    expect(before).toEqual({ status: 200, etag: '"1"', body: { ...created, ...hidden } });
    expect((await pageOf()).objects[0]).toEqual(before.body);
    const same = await service.rest('GET', `${path}/${id}`, undefined, { 'If-None-Match': '"1"' });
    expect([same.status, same.body]).toEqual([304, undefined]);

    service.setTime(new Date('2027-01-01T00:00:00Z'));
    const change = (body: object, version: number) =>
      service.rest('PATCH', `${path}/${id}`, body, { 'If-Match': `"${version}"` });
    const first = successOf(await change({ description: 'new' }, 1));
    expect(first).toEqual({ status: 200, etag: '"2"', body: { ...before.body, description: 'new' } });
    expect(failureOf(await change({ description: 'newer' }, 1))).toMatchObject({
      status: 412,
      code: 'VERSION_CONFLICT',
    });
    const second = successOf(await change({ metadata: 'newer' }, 2));
    expect(second).toEqual({ status: 200, etag: '"3"', body: { ...first.body, metadata: 'newer' } });
    const third = successOf(await change({ description: '', metadata: null }, 3));
    expect(third).toEqual({ status: 200, etag: '"4"', body: { ...before.body, description: '', metadata: '' } });
    expect(await read(id)).toEqual(third);

    const remove = (version: number) =>
      service.rest('DELETE', `${path}/${id}`, undefined, { 'If-Match': `"${version}"` });
    expect(failureOf(await remove(1)).status).toBe(412);
    expect(successOf(await remove(4))).toEqual({ status: 204, etag: null, body: undefined });
    expect(failureOf(await service.rest('GET', `${path}/${id}`))).toEqual(notFound);
    expect(failureOf(await remove(4))).toEqual(notFound);
    expect((await pageOf()).objects).toHaveLength(objectsAtStart);
  });

  test('one of many wins that change the same version at once', async () => {
    const { id } = await create();
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, index) =>
        service.rest('PATCH', `${path}/${id}`, { description: `${index}` }, { 'If-Match': '"1"' }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
    expect((await read(id)).body).toEqual(answers.find(({ status }) => status === 200)?.body);
  });

  test('its pages lead over every object once, newest first, from either end, and no read costs more the next time', async () => {
    let ids = idsOf((await pageOf()).objects);
    while (ids.length < 5) ids = [(await create()).id, ...ids];
    const next = (place: number) => `${baseUrl}${path}?limit=2&before_id=${ids[place]}`;
    const pages = [await pageOf('?limit=2')];
    for (let to = pages[0]?.next; to !== null; to = pages.at(-1)?.next) {
      pages.push(await pageOf(String(to).slice(`${baseUrl}${path}`.length)));
    }
    expect(pages.map((page) => idsOf(page.objects))).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    expect(pages.map((page) => page.next)).toEqual([next(1), next(3), null]);
    expect((await pageOf('?limit=5')).next).toBeNull();

    const argument = collection.connectionArgument?.(path) ?? '';
    const query = `query ($first: Int, $last: Int, $after: ID, $before: ID) {
      page: ${connection}(${argument} first: $first, last: $last, after: $after, before: $before) {
        nodes { id } edges { cursor node { id } } totalCount uri nextPageUri
        pageInfo { hasPreviousPage hasNextPage startCursor endCursor }
      }
    }`;
    const ask = (args: object) => service.graphql(query, { ...args });
    const connected = async (args: object) => {
      const { page } = dataOf(await ask(args));
      const cursors: string[] = page.edges.map(({ cursor }: { cursor: string }) => cursor);
      const { hasPreviousPage, hasNextPage, startCursor, endCursor } = page.pageInfo;
      expect([page.totalCount, page.uri]).toEqual([5, `${baseUrl}${path}`]);
      expect(page.edges.map(({ node }: { node: { id: string } }) => node)).toEqual(page.nodes);
      expect([startCursor, endCursor]).toEqual([cursors[0] ?? null, cursors.at(-1) ?? null]);
      return { page: { ids: idsOf(page.nodes), hasPreviousPage, hasNextPage, next: page.nextPageUri }, cursors };
    };
    const { page: all, cursors } = await connected({});
    expect(all).toEqual({ ids, hasPreviousPage: false, hasNextPage: false, next: null });
    const [first, second, third, fourth, last] = cursors;
    const partOf = async (args: object) => (await connected(args)).page;
    const [here, there] = [{ hasPreviousPage: true }, { hasNextPage: true }];
    const nowhere = { hasPreviousPage: false, hasNextPage: false, next: null };
    expect(await partOf({ first: 2 })).toEqual({ ...nowhere, ...there, ids: ids.slice(0, 2), next: next(1) });
    expect(await partOf({ first: 2, after: second })).toEqual({
      ...here,
      ...there,
      ids: ids.slice(2, 4),
      next: next(3),
    });
    expect(await partOf({ first: 2, after: fourth })).toEqual({ ...nowhere, ...here, ids: ids.slice(4) });
    expect(await partOf({ first: 1, after: last })).toEqual({ ...nowhere, ...here, ids: [] });
    expect(await partOf({ last: 2 })).toEqual({ ...nowhere, ...here, ids: ids.slice(3) });
    expect(await partOf({ last: 2, before: third })).toEqual({ ...nowhere, ...there, ids: ids.slice(0, 2) });
    expect((await partOf({ first: 2, after: first, before: last })).ids).toEqual(ids.slice(1, 3));
    expect((await partOf({ last: 2, after: first, before: last })).ids).toEqual(ids.slice(2, 4));

    for (const read of [
      () => pageOf(),
      () => ask({ first: 2 }),
      () => service.rest('GET', `${path}/${ids[0]}`),
    ] as const) {
      const first = await countStatements(service, read);
      // Once more where something else was read in between, such as by a round of upkeep.
      await expect.poll(() => countStatements(service, read)).toBeLessThanOrEqual(first);
    }
  });

  onOneEngine(() => {
    test('an unknown field or parameter is refused, and those are named that there are', async () => {
      const refused = (field: string, what: string, accepted: string) =>
        invalidField(field, `is not a ${what} of this route. Accepted: ${accepted}.`, 'UNKNOWN_FIELD');
      const body = { ...(await collection.required(service)), descripton: 'typo' };
      expect(failureOf(await service.rest('POST', path, body))).toEqual(refused('descripton', 'field', createFields));
      const change = await service.rest('PATCH', `${path}/${(await create()).id}`, { descripton: 'typo' });
      expect(failureOf(change)).toEqual(refused('descripton', 'field', updateFields));
      const parameters = ['limit', 'before_id', ...filters].join(', ');
      expect(failureOf(await service.rest('GET', `${path}?page=2`))).toEqual(
        refused('page', 'query parameter', parameters),
      );
    });
  });
});

let started: Promise<TestService> | undefined;
/** Returns the service that all collections share. */
const sharedService = () => {
  started ??= startService();
  return started;
};
afterAll(async () => {
  const service = await started;
  expect(service?.failures).toEqual([]);
  await service?.close();
});
