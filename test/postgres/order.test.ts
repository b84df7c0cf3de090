// The order of concurrent changes on two servers: events of each object arrive in the order of its versions, its deletion last.

import { expect, onTestFinished, test } from 'vitest';
import { execute } from '../support/database.ts';
import { openStream } from '../support/event-stream.ts';
import { times } from '../support/times.ts';
import { twoServers } from '../support/two-servers.ts';

const servers = twoServers();
const { turn, create } = servers;

/** Lets eight writers make changes concurrently, each one after the other, and returns the statuses of the answers. */
async function together(changes: number, change: (writer: number, count: number) => Promise<{ status: number }>) {
  const statuses = await Promise.all(
    times(8).map(async (writer) => {
      const found: number[] = [];
      for (const count of times(changes)) found.push((await change(writer, count)).status);
      return found;
    }),
  );
  return statuses.flat();
}

interface Event {
  readonly object_id: string;
  readonly version: number;
}

/**
 * Follows objects from now on at the second server. Returns a function that waits for a number of events, and returns the versions
 * of an object among them.
 */
async function follow(...ids: string[]) {
  const query = ids.map((id) => `ids=${id}`).join('&');
  const stream = await openStream(`${servers.other.url}/events?${query}`, servers.one.token);
  onTestFinished(() => stream.cut());
  return async (count: number, id: string) =>
    (await stream.wait(count)).flatMap((event) => {
      const { object_id, version } = event as Event;
      return object_id === id ? [version] : [];
    });
}

/** Returns the trail of each object of a kind, in commit order, as `action version`. */
async function trailOf(kind: string): Promise<string[][]> {
  const rows = await execute(
    servers.one.database,
    `SELECT string_agg("action" || ' ' || "version", ',' ORDER BY "commitOrder", "id") FROM "AuditEvent"
      WHERE "kind" = '${kind}' GROUP BY "objectId"`,
  );
  return rows.map(([events]) => String(events).split(','));
}

/** Returns a trail as it must be: versions without gaps, starting with the creation, and the deletion at the end. */
function inOrder(trail: readonly string[]): string[] {
  const isDeleted = trail.some((event) => event.startsWith('delete'));
  return trail.map((_, index) => {
    const action = index === 0 ? 'create' : isDeleted && index === trail.length - 1 ? 'delete' : 'update';
    return `${action} ${index + 1}`;
  });
}

test('changes of an object are told in the order of its versions', async () => {
  const id = await create('/ip_policies', {});
  const versions = await follow(id);
  const change = (writer: number, count: number) =>
    turn(writer).rest('PATCH', `/ip_policies/${id}`, { description: `${writer} ${count}` });
  expect(new Set(await together(30, change))).toEqual(new Set([200]));
  expect(await versions(240, id)).toEqual(times(240).map((place) => place + 2));
});

test('changes of a module, and of the route and the edge that show it, are told in the order of all versions', async () => {
  const edge = await create('/edges/https', {});
  const routes = `/edges/https/${edge}/routes`;
  const route = await create(routes, { match_type: 'path_prefix', match: '/' });
  const idp_metadata = `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example"/>`;
  expect((await servers.one.rest('PUT', `${routes}/${route}/saml`, { idp_metadata })).status).toBe(200);
  const versions = await follow(edge, route);
  const change = (writer: number, count: number) => {
    if (writer < 3) return turn(writer).rest('PUT', `${routes}/${route}/saml`, { idp_metadata });
    if (writer < 6) return turn(writer).rest('PATCH', `${routes}/${route}`, { description: `${count}` });
    return turn(writer).rest('PATCH', `/edges/https/${edge}`, { description: `${count}` });
  };
  expect(new Set(await together(10, change))).toEqual(new Set([200]));
  // Of 80 changes, 60 concern the route; each of them also appears in the edge.
  expect(await versions(140, edge)).toEqual(times(80).map((place) => place + 4));
  expect(await versions(140, route)).toEqual(times(60).map((place) => place + 3));
});

test('the deletion of an object is the last that is told of it and of its parts, whatever is made and changed meanwhile', async () => {
  for (const round of times(8)) {
    const policy = await create('/ip_policies', {});
    const rules = await Promise.all(
      times(2).map((index) =>
        create('/ip_policy_rules', { ip_policy_id: policy, cidr: `192.0.2.${index}/32`, action: 'allow' }),
      ),
    );
    const [first = '', second = ''] = rules;
    const change = async (writer: number, count: number) => {
      const service = turn(writer + round);
      if (writer === 0 && count === 2) return service.rest('DELETE', `/ip_policies/${policy}`);
      if (writer === 1 && count === 1) return service.rest('DELETE', `/ip_policy_rules/${second}`);
      if (writer < 3) return service.rest('PATCH', `/ip_policies/${policy}`, { description: `${count}` });
      if (writer < 5) return service.rest('PATCH', `/ip_policy_rules/${first}`, { description: `${count}` });
      if (writer < 6) return service.rest('PATCH', `/ip_policy_rules/${second}`, { action: 'deny' });
      const cidr = `198.51.${writer}.${count}/32`;
      return service.rest('POST', '/ip_policy_rules', { ip_policy_id: policy, cidr, action: 'allow' });
    };
    const expected = new Set([200, 201, 204, 400, 404]);
    expect((await together(5, change)).filter((status) => !expected.has(status))).toEqual([]);
  }
  for (const kind of ['IpPolicy', 'IpPolicyRule']) {
    const trails = await trailOf(kind);
    expect(trails).toEqual(trails.map(inOrder));
  }
});

test('the deletion of an authority is told after all that became of its tokens', async () => {
  for (const round of times(8)) {
    const authority = await create('/ssh_certificate_authorities', {});
    const token = { ssh_certificate_authority_id: authority, principals: ['a.example'] };
    const first = await create('/ssh_enrollment_tokens', token);
    const change = async (writer: number, count: number) => {
      const service = turn(writer + round);
      if (writer === 0 && count === 1) return service.rest('DELETE', `/ssh_certificate_authorities/${authority}`);
      if (writer < 4) return service.rest('PATCH', `/ssh_enrollment_tokens/${first}`, { description: `${count}` });
      return service.rest('POST', '/ssh_enrollment_tokens', token);
    };
    const expected = new Set([200, 201, 204, 400, 404]);
    expect((await together(3, change)).filter((status) => !expected.has(status))).toEqual([]);
  }
  for (const kind of ['SshCertificateAuthority', 'SshEnrollmentToken']) {
    const trails = await trailOf(kind);
    expect(trails).toEqual(trails.map(inOrder));
  }
});
