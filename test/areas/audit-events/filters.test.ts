// Lists of the trail with several conditions at once, where only a few of many events meet all of them.

import { beforeAll, expect, test } from 'vitest';
import { dataOf } from '../../support/answers.ts';
import { copyRow, lateId } from '../../support/crowd.ts';
import { startService, type TestService } from '../../support/service.ts';

let service: TestService;
let policy: string;
beforeAll(async () => {
  service = await startService();
  policy = (await service.rest('POST', '/ip_policies', {})).body.id;
  const [event] = dataOf(await service.graphql('{ auditEvents(first: 1) { nodes { id } } }')).auditEvents.nodes;
  const columns = [
    'id',
    'accountId',
    'createdAt',
    'action',
    'kind',
    'objectId',
    'version',
    'actor',
    'actorDescription',
  ];
  const changed = {
    // Of 11,000 events, the rare ones are 5,000 apart.
    action: "CASE WHEN n % 5000 = 17 THEN 'delete' ELSE 'update' END",
    version: 'n + 2',
  };
  await copyRow(service.database, 'AuditEvent', event.id, 11_000, changed, [...columns, 'surface', 'state']);
});

const few = [10_017, 5_017, 17].map((number) => lateId('AuditEvent', number));

test.each(['', 'actor: $actor', 'kind: "IpPolicy"', 'objectId: $id', 'objectId: $id, kind: "IpPolicy", actor: $actor'])(
  'finds them all, from both ends and page by page, by %s',
  async (condition) => {
    const viewer = dataOf(await service.graphql('{ viewer { apiKey { id } } }')).viewer.apiKey;
    let cursor: string | undefined;
    const list = async (page: string) => {
      const query = `query ($id: ID, $actor: ID) { auditEvents(${condition}, action: delete, ${page}) {
        edges { cursor } nodes { id } pageInfo { hasNextPage hasPreviousPage } } }`;
      const used = `${condition} `.includes('$id') ? query : query.replace('$id: ID, ', '');
      const document = condition.includes('$actor')
        ? used
        : used.replace('$actor: ID', '').replace('query ()', 'query');
      const { edges, nodes, pageInfo } = dataOf(
        await service.graphql(document, { id: policy, actor: viewer.id }),
      ).auditEvents;
      cursor = edges[1]?.cursor;
      return [nodes.map(({ id }: { id: string }) => id), pageInfo.hasNextPage, pageInfo.hasPreviousPage];
    };
    expect(await list('first: 10')).toEqual([few, false, false]);
    expect(await list('first: 2')).toEqual([few.slice(0, 2), true, false]);
    const middle = cursor;
    expect(await list(`first: 2, after: "${middle}"`)).toEqual([few.slice(2), false, true]);
    expect(await list('last: 2')).toEqual([few.slice(1), false, true]);
    expect(await list(`last: 2, before: "${middle}"`)).toEqual([few.slice(0, 1), true, false]);
  },
);

test('finds them in the order of time, by who made them, and within a time, in every order', async () => {
  const account = await service.asNewAccount();
  const at = (minute: number) => `2026-11-21T00:0${minute}:00Z`;
  const policies: string[] = [];
  for (const minute of [0, 1, 2, 3]) {
    account.setTime(new Date(at(minute)));
    policies.push((await account.rest('POST', '/ip_policies', {})).body.id);
  }
  const found = async (args: string) => {
    const query = `{ list: auditEvents(kind: "IpPolicy", ${args}) { totalCount nextPageUri nodes { objectId } } }`;
    const { totalCount, nextPageUri, nodes } = dataOf(await account.graphql(query)).list;
    expect([totalCount, nextPageUri]).toEqual([nodes.length, null]);
    return nodes.map(({ objectId }: { objectId: string }) => policies.indexOf(objectId));
  };
  const within = `from: "${at(1)}", to: "${at(3)}"`;
  expect(await found('orderBy: created_at_asc')).toEqual([0, 1, 2, 3]);
  expect(await found(`orderBy: created_at_asc, ${within}`)).toEqual([1, 2]);
  expect(await found(`search: "key of", ${within}`)).toEqual([2, 1]);
  expect(await found(`search: "key of", orderBy: created_at_asc, ${within}`)).toEqual([1, 2]);
  expect(await found(`search: "127.0.0.1", to: "${at(1)}"`)).toEqual([0]);
  expect(await found(`search: "${policies[2]?.toUpperCase()}"`)).toEqual([2]);
  expect(await found('search: "nobody"')).toEqual([]);
  const [event] = dataOf(
    await account.graphql(`{ auditEvents(objectId: "${policies[2]}") { nodes { id requestId } } }`),
  ).auditEvents.nodes;
  expect(await found(`search: "${event.requestId}"`)).toEqual([2]);
  expect(await found(`search: "${event.id}", ${within}`)).toEqual([2]);
  // The time range excludes it even when searched by its whole id.
  expect(await found(`search: "${event.id}", to: "${at(2)}"`)).toEqual([]);
  const { errors } = await account.graphql('{ auditEvents(orderBy: updated_at_asc) { totalCount } }');
  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['GRAPHQL_INVALID']);
});

test('finds what the whole list has of several kinds and actions, in its order, by every filter', async () => {
  const account = await service.asNewAccount();
  const { id } = (await account.rest('POST', '/ip_policies', {})).body;
  await account.rest('POST', '/ip_restrictions', { type: 'agent', ip_policy_ids: [id], enforced: false });
  await account.rest('PATCH', `/ip_policies/${id}`, { description: 'office' });
  await account.rest('POST', '/ip_policies', {});
  await account.rest('DELETE', `/ip_policies/${id}`);
  const list = async (args: string) => {
    const query = `{ auditEvents${args} { totalCount nodes { id kind action actor { id } } } }`;
    const { totalCount, nodes } = dataOf(await account.graphql(query)).auditEvents;
    expect(totalCount).toBe(nodes.length);
    return nodes;
  };
  const all = await list('');
  const { actor } = all[0];
  const filters = [
    [],
    ...['create', 'update', 'delete', 'refuse'].map((action) => [`action: ${action}`]),
    ...['IpPolicy', 'IpRestriction', 'Request'].map((kind) => [`kind: "${kind}"`]),
    ['kind: "IpPolicy"', 'action: create'],
    ['kind: "IpPolicy"', 'action: refuse'],
  ];
  for (const some of filters) {
    for (const args of [some, [...some, `actor: "${actor.id}"`]]) {
      if (args.length === 0) continue;
      const wanted = all.filter((event: { kind: string; action: string; actor: { id: string } }) =>
        args.every((arg) =>
          [`action: ${event.action}`, `kind: "${event.kind}"`, `actor: "${event.actor.id}"`].includes(arg),
        ),
      );
      expect(await list(`(${args.join(', ')})`)).toEqual(wanted);
    }
  }
});
