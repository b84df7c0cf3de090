// Tests what every list promises as a connection.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dataOf, errorOf } from './answers.ts';
import type { CollectionSample } from './samples.ts';
import { startService, type TestService } from './service.ts';
import { countStatements } from './statements.ts';

interface PageArgs {
  first?: number;
  last?: number;
  after?: string | undefined;
  before?: string | undefined;
}

/** Tests what the connection of a collection promises, on one service with an account for each test. */
export function testConnection(collection: CollectionSample): void {
  const { connection: field, listField, required, unknownId, placeOf, connectionArgument } = collection;
  let shared: TestService;
  let current: TestService;
  /** The path of the current account's collection. */
  let path: string;
  const service = () => current;
  beforeAll(async () => {
    shared = await startService();
  });
  beforeEach(async () => {
    current = await shared.asNewAccount();
    path = (await placeOf?.(current)) ?? collection.path;
  });
  afterAll(async () => {
    expect(shared.failures).toEqual([]);
    await shared.close();
  });

  const create = async (): Promise<string> => (await service().rest('POST', path, await required(service()))).body.id;
  const idsAtStart = async (): Promise<string[]> => {
    const { body } = await service().rest('GET', path);
    return body[listField].map(({ id }: { id: string }) => id);
  };

  const argument = () => connectionArgument?.(path) ?? '';
  const query = () => `query ($first: Int, $last: Int, $after: ID, $before: ID) {
    page: ${field}(${argument()} first: $first, last: $last, after: $after, before: $before) {
      nodes { id }
      edges { cursor node { id } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      totalCount
      uri
      nextPageUri
    }
  }`;
  const ask = (args: PageArgs) => service().graphql(query(), { ...args });

  /** Reads a page, checks that its parts agree, and returns what remains to be compared. */
  const pageOf = async (args: PageArgs) => {
    const { page } = dataOf(await ask(args));
    const ids: string[] = page.nodes.map(({ id }: { id: string }) => id);
    expect(page.edges.map(({ node }: { node: { id: string } }) => node.id)).toEqual(ids);
    const cursors: string[] = page.edges.map(({ cursor }: { cursor: string }) => cursor);
    const { hasNextPage, hasPreviousPage, startCursor, endCursor } = page.pageInfo;
    expect([startCursor, endCursor]).toEqual([cursors[0] ?? null, cursors.at(-1) ?? null]);
    expect(page.uri).toBe(`https://sallyport.test${path}`);
    return { ids, cursors, hasNextPage, hasPreviousPage, totalCount: page.totalCount, nextPageUri: page.nextPageUri };
  };

  /** Creates objects until there are `count`; returns all ids with their cursors, newest first. */
  const fill = async (count: number) => {
    const ids = await idsAtStart();
    while (ids.length < count) ids.unshift(await create());
    const { cursors, ...all } = await pageOf({});
    expect(all).toEqual({ ids, hasNextPage: false, hasPreviousPage: false, totalCount: count, nextPageUri: null });
    return { ids, cursors };
  };

  describe(`${field} as a connection`, () => {
    test('reads no more when the same list or object is asked for again', async () => {
      const { ids } = await fill(3);
      const reads: [string, () => Promise<unknown>][] = [
        ['list', () => service().rest('GET', path)],
        ['page', () => ask({ first: 2 })],
        ['object', () => service().rest('GET', `${path}/${ids[0]}`)],
      ];
      for (const [what, read] of reads) {
        const costs: number[] = [];
        for (let time = 0; time < 3; time += 1) {
          costs.push(await countStatements(service(), read));
        }
        expect([what, ...costs]).toEqual([what, costs[0], costs[0], costs[0]]);
      }
    });

    test('goes from the newest to the oldest with first and after', async () => {
      const { ids, cursors } = await fill(5);
      const next = (place: number) => `https://sallyport.test${path}?limit=2&before_id=${ids[place]}`;
      expect(await pageOf({ first: 2 })).toEqual({
        ids: ids.slice(0, 2),
        cursors: cursors.slice(0, 2),
        hasNextPage: true,
        hasPreviousPage: false,
        totalCount: 5,
        nextPageUri: next(1),
      });
      expect(await pageOf({ first: 2, after: cursors[1] })).toEqual({
        ids: ids.slice(2, 4),
        cursors: cursors.slice(2, 4),
        hasNextPage: true,
        hasPreviousPage: true,
        totalCount: 5,
        nextPageUri: next(3),
      });
      expect(await pageOf({ first: 2, after: cursors[3] })).toEqual({
        ids: ids.slice(4),
        cursors: cursors.slice(4),
        hasNextPage: false,
        hasPreviousPage: true,
        totalCount: 5,
        nextPageUri: null,
      });
    });

    test('goes from the oldest to the newest with last and before, each page still newest first', async () => {
      const { ids, cursors } = await fill(5);
      expect(await pageOf({ last: 2 })).toEqual({
        ids: ids.slice(3),
        cursors: cursors.slice(3),
        hasNextPage: false,
        hasPreviousPage: true,
        totalCount: 5,
        nextPageUri: null,
      });
      expect(await pageOf({ last: 2, before: cursors[3] })).toEqual({
        ids: ids.slice(1, 3),
        cursors: cursors.slice(1, 3),
        hasNextPage: true,
        hasPreviousPage: true,
        totalCount: 5,
        nextPageUri: null,
      });
      expect(await pageOf({ last: 2, before: cursors[1] })).toEqual({
        ids: ids.slice(0, 1),
        cursors: cursors.slice(0, 1),
        hasNextPage: true,
        hasPreviousPage: false,
        totalCount: 5,
        nextPageUri: null,
      });
    });

    test('counts and lists nothing of another account', async () => {
      const { ids } = await fill(2);
      const stranger = await service().otherAccount('other');
      const theirPlace = (await placeOf?.(stranger)) ?? collection.path;
      const theirArgument = connectionArgument === undefined ? '' : `(${connectionArgument(theirPlace)})`;
      const theirs = dataOf(
        await stranger.graphql(`{ page: ${field}${theirArgument} { totalCount nodes { id } } }`),
      ).page;
      expect(theirs.nodes.filter(({ id }: { id: string }) => ids.includes(id))).toEqual([]);
      expect(theirs.totalCount).toBe(theirs.nodes.length);
    });

    test('reads between two cursors, from either end', async () => {
      const { ids, cursors } = await fill(5);
      const between = { after: cursors[0], before: cursors[4] };
      expect((await pageOf(between)).ids).toEqual(ids.slice(1, 4));
      expect((await pageOf({ ...between, first: 2 })).ids).toEqual(ids.slice(1, 3));
      expect((await pageOf({ ...between, last: 2 })).ids).toEqual(ids.slice(2, 4));
    });

    test('gives an empty page where nothing follows', async () => {
      const { cursors } = await fill(2);
      expect(await pageOf({ first: 1, after: cursors[1] })).toEqual({
        ids: [],
        cursors: [],
        hasNextPage: false,
        hasPreviousPage: true,
        totalCount: 2,
        nextPageUri: null,
      });
    });

    test('goes on exactly from a cursor whose object is gone', async () => {
      const { ids, cursors } = await fill(3);
      await service().rest('DELETE', `${path}/${ids[1]}`);
      expect((await pageOf({ first: 2, after: cursors[1] })).ids).toEqual(ids.slice(2));
      expect((await pageOf({ last: 1, before: cursors[1] })).ids).toEqual(ids.slice(0, 1));
    });

    test('knows no next page when the page is just full', async () => {
      const { ids } = await fill(2);
      expect(await pageOf({ first: 2 })).toMatchObject({ ids, hasNextPage: false, nextPageUri: null });
      expect(await pageOf({ last: 2 })).toMatchObject({ ids, hasPreviousPage: false });
    });

    test.each([
      [{ first: 0 }, 'first'],
      [{ first: 101 }, 'first'],
      [{ first: -1 }, 'first'],
      [{ last: 0 }, 'last'],
      [{ last: 101 }, 'last'],
    ])('refuses %j', async (args, blamed) => {
      expect(errorOf(await ask(args))).toEqual({
        code: 'INVALID_INPUT',
        field: blamed,
        message: `${blamed}: must be from 1 to 100.`,
      });
    });

    test('refuses first together with last', async () => {
      expect(errorOf(await ask({ first: 1, last: 1 }))).toEqual({
        code: 'INVALID_INPUT',
        field: 'last',
        message: 'last: cannot be combined with `first`.',
      });
    });

    test.each(['', 'nonsense', 'acct_01h455vb4pex5vsknk084sn02q', unknownId.toUpperCase(), `${unknownId}\u0000`])(
      'refuses %j as a cursor',
      async (cursor) => {
        for (const blamed of ['after', 'before']) {
          expect(errorOf(await ask({ [blamed]: cursor }))).toEqual({
            code: 'INVALID_INPUT',
            field: blamed,
            message: `${blamed}: must be a cursor from an earlier page of this list.`,
          });
        }
      },
    );
  });
}
