// Live changes: what is stored is told, in order and once.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStream, subscribe } from '../../support/event-stream.ts';
import { startService, type TestService } from '../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  expect(service.failures).toEqual([]);
  await service.close();
});

const query = `subscription ($after: ID, $kinds: [String!], $ids: [ID!]) {
  changes(after: $after, kinds: $kinds, ids: $ids) { id action kind objectId version changes { field before after } }
}`;

describe('a change', () => {
  test('is told over both surfaces', async () => {
    const { rest, token, url } = await service.asNewAccount();
    const graphql = await subscribe(url, token, query);
    const events = await openStream(`${url}/events`, token);
    expect([graphql.status, graphql.headers['content-type']]).toEqual([200, 'text/event-stream']);
    expect([events.status, events.headers['content-type']]).toEqual([200, 'text/event-stream']);
    const { body: policy } = await rest('POST', '/ip_policies', { description: 'Berlin' });
    await rest('PATCH', `/ip_policies/${policy.id}`, { description: 'Paris' });
    const [created, updated] = await graphql.wait(2);
    expect(created).toMatchObject({
      data: { changes: { action: 'create', kind: 'IpPolicy', objectId: policy.id, version: 1 } },
    });
    expect(updated).toMatchObject({
      data: { changes: { version: 2, changes: [{ field: 'description', before: 'Berlin', after: 'Paris' }] } },
    });
    const listed = (await rest('GET', '/audit_events?limit=2')).body.audit_events.reverse();
    expect(await events.wait(2)).toEqual(listed);
    expect(events.messages.slice(-2).map(({ id }) => id)).toEqual(listed.map(({ id }: { id: string }) => id));
    graphql.cut();
    events.cut();
  });
});
