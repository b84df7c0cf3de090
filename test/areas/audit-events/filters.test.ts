// Lists of the trail under several conditions at once, of which few events among many meet all.

import { afterAll, beforeAll, expect, test } from 'vitest';
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
    // Of 11,000 events, those that are few are 5,000 apart.
    action: "CASE WHEN n % 5000 = 17 THEN 'delete' ELSE 'update' END",
    version: 'n + 2',
  };
  await copyRow(service.database, 'AuditEvent', event.id, 11_000, changed, [...columns, 'surface', 'state']);
});
afterAll(async () => {
  expect(service.failures).toEqual([]);
  await service.close();
});

const few = [10_017, 5_017, 17].map((number) => lateId('AuditEvent', number));

test.each(['actor: $actor', 'kind: "IpPolicy"', 'objectId: $id', 'objectId: $id, kind: "IpPolicy", actor: $actor'])(
  'finds them all, from both ends and page by page, by %s',
  async (condition) => {
    const viewer = dataOf(await service.graphql('{ viewer { apiKey { id } } }')).viewer.apiKey;
    const list = async (page: string) => {
      const query = `query ($id: ID, $actor: ID) { auditEvents(${condition}, action: delete, ${page}) {
        nodes { id } pageInfo { hasNextPage hasPreviousPage } } }`;
      const used = `${condition} `.includes('$id') ? query : query.replace('$id: ID, ', '');
      const document = condition.includes('$actor')
        ? used
        : used.replace('$actor: ID', '').replace('query ()', 'query');
      const { nodes, pageInfo } = dataOf(await service.graphql(document, { id: policy, actor: viewer.id })).auditEvents;
      return [nodes.map(({ id }: { id: string }) => id), pageInfo.hasNextPage, pageInfo.hasPreviousPage];
    };
    expect(await list('first: 10')).toEqual([few, false, false]);
    expect(await list('first: 2')).toEqual([few.slice(0, 2), true, false]);
    expect(await list(`first: 2, after: "${few[1]}"`)).toEqual([few.slice(2), false, true]);
    expect(await list('last: 2')).toEqual([few.slice(1), false, true]);
    expect(await list(`last: 2, before: "${few[1]}"`)).toEqual([few.slice(0, 1), true, false]);
  },
);
