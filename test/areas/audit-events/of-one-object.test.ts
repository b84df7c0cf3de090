// The events of one object are listed in the order of its versions, whatever the clocks said.

import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { dataOf, errorOf } from '../../support/answers.ts';
import { execute, openClient } from '../../support/database.ts';
import { startService, type TestService } from '../../support/service.ts';

/** The minute in the event id of each version, as if recorded by servers whose clocks differ. */
const minutes = [4, 1, 7, 2, 6, 3, 8, 5, 9];
const at = (minute: number) => `2026-11-21T00:0${minute}:00Z`;

let service: TestService;
let account: TestService;
let policy: string;
beforeAll(async () => {
  service = await startService();
  account = await service.asNewAccount();
  account.setTime(new Date(at(1)));
  policy = (await account.rest('POST', '/ip_policies', {})).body.id;
  for (const version of minutes.keys()) {
    if (version === 0) continue;
    account.setTime(new Date(at(version + 1)));
    const path = `/ip_policies/${policy}`;
    expect((await account.rest('PATCH', path, { description: `version ${version + 1}` })).status).toBe(200);
    // Events of other objects in between.
    expect((await account.rest('POST', '/ip_policies', {})).status).toBe(201);
  }
  const events = (
    await account.graphql(`{ auditEvents(objectId: "${policy}", orderBy: created_at_asc) { nodes { id } } }`)
  ).data.auditEvents.nodes;
  const idOf = (minute: number) => events[minute - 1].id;
  const rename = `"id" = '~' || CASE "version" ${minutes.map((minute, index) => `WHEN ${index + 1} THEN '${idOf(minute)}'`).join(' ')} END`;
  await execute(service.database, `UPDATE "AuditEvent" SET ${rename} WHERE "objectId" = '${policy}'`);
  await execute(service.database, `UPDATE "AuditEvent" SET "id" = substr("id", 2) WHERE "objectId" = '${policy}'`);
});

async function list(args: string) {
  const query = `{ list: auditEvents(objectId: "${policy}", ${args}) {
    totalCount searchedInPart edges { cursor } nodes { version } pageInfo { hasNextPage hasPreviousPage } } }`;
  const { totalCount, searchedInPart, edges, nodes, pageInfo } = dataOf(await account.graphql(query)).list;
  expect(searchedInPart).toBe(false);
  return {
    totalCount,
    versions: nodes.map(({ version }: { version: number }) => version),
    cursors: edges.map(({ cursor }: { cursor: string }): string => cursor),
    ...pageInfo,
  };
}

const newestFirst = [9, 8, 7, 6, 5, 4, 3, 2, 1];
const between = `from: "${at(2)}", to: "${at(7)}"`;

test.each([
  ['', newestFirst],
  ['action: update', newestFirst.slice(0, -1)],
  [between, [8, 6, 5, 4, 1]],
  [`kind: "IpPolicy", action: update, ${between}`, [8, 6, 5, 4]],
  ['search: "key of"', newestFirst],
  [`search: "127.0.0.1", ${between}`, [8, 6, 5, 4, 1]],
])('(%s) is whole in pages of every size, from either end and in both orders', async (filter, versions) => {
  const orders = [
    ['created_at_desc', versions],
    ['created_at_asc', versions.toReversed()],
  ] as const;
  for (const [order, expected] of orders) {
    const args = `orderBy: ${order} ${filter}`;
    expect(await list(args)).toMatchObject({ versions: expected, totalCount: expected.length, hasNextPage: false });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.boolean(), async (size, backward) => {
        const seen: number[] = [];
        for (let index = ''; ; ) {
          const page = await list(`${args}, ${backward ? 'last' : 'first'}: ${size}${index}`);
          expect(page.versions.length).toBeLessThanOrEqual(size);
          if (backward) seen.unshift(...page.versions);
          else seen.push(...page.versions);
          if (!(backward ? page.hasPreviousPage : page.hasNextPage)) break;
          index = backward ? `, before: "${page.cursors[0]}"` : `, after: "${page.cursors.at(-1)}"`;
        }
        expect(seen).toEqual(expected);
      }),
      { numRuns: 4 },
    );
  }
});

test('a page goes on exactly behind an event that is gone', async () => {
  const { cursors } = await list('first: 4');
  const client = await openClient(service.database);
  const where = { objectId: policy, version: 6 };
  const gone = await client.auditEvent.findFirstOrThrow({ where });
  await client.auditEvent.deleteMany({ where: { id: gone.id } });
  try {
    expect((await list(`after: "${cursors[3]}"`)).versions).toEqual([5, 4, 3, 2, 1]);
    expect((await list(`before: "${cursors[3]}"`)).versions).toEqual([9, 8, 7]);
  } finally {
    await client.auditEvent.create({ data: gone });
  }
});

test('cursors are those of the order of versions', async () => {
  const { cursors } = await list('first: 1');
  const id = cursors[0]?.split('.')[0] ?? '';
  expect(cursors).toEqual([`${id}.9`]);
  expect((await list('orderBy: created_at_asc, last: 1')).cursors).toEqual([`${id}.9.created_at_asc`]);
  const refusal = async (filter: string, cursor: string) =>
    errorOf(await account.graphql(`{ auditEvents(${filter} after: "${cursor}") { totalCount } }`))?.message;
  const otherOrder = 'after: is a cursor of another order. Leave it out to begin with the first page of this one.';
  const ofObject = `objectId: "${policy}",`;
  expect(await refusal(ofObject, id)).toBe(otherOrder);
  expect(await refusal('', `${id}.9`)).toBe(otherOrder);
  expect(await refusal(ofObject, `${id}.9.created_at_asc`)).toBe(otherOrder);
  const noCursor = 'after: must be a cursor from an earlier page of this list.';
  expect(await refusal(ofObject, `${id}.${2 ** 31}`)).toBe(noCursor);
  expect((await list(`after: "${id}.${2 ** 31 - 1}"`)).versions).toEqual(newestFirst);
});
