// Many clients change one object at the same time: nothing is lost, and nothing is counted twice.

import { beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import { hostKeys } from '../support/ssh.ts';

let service: TestService;
let policyIds: string[];
beforeAll(async () => {
  service = await startService();
  const made = await Promise.all(Array.from({ length: 50 }, () => service.rest('POST', '/ip_policies', {})));
  policyIds = made.map(({ body }) => body.id);
});

const indexes = Array.from({ length: 50 }, (_, index) => index);
const versionOf = (headers: Headers) => Number(headers.get('etag')?.replaceAll('"', ''));

/** Creates a restriction with two policies, and returns its path. */
async function createRestriction(): Promise<string> {
  const { status, body } = await service.rest('POST', '/ip_restrictions', {
    type: 'endpoints',
    ip_policy_ids: policyIds.slice(0, 2),
  });
  expect(status).toBe(201);
  return `/ip_restrictions/${body.id}`;
}

describe('50 concurrent changes of one object', () => {
  test('all succeed, each counts once, and the last one written is what is there', async () => {
    const path = `/ip_policies/${policyIds[0]}`;
    const answers = await Promise.all(indexes.map((i) => service.rest('PATCH', path, { description: `change ${i}` })));
    expect(answers.map(({ status }) => status)).toEqual(indexes.map(() => 200));
    // Each change saw its own version, and answered with what it wrote.
    expect(answers.map(({ headers }) => versionOf(headers)).sort((a, b) => a - b)).toEqual(indexes.map((i) => i + 2));
    expect(answers.map(({ body }) => body.description)).toEqual(indexes.map((i) => `change ${i}`));
    const { body, headers } = await service.rest('GET', path);
    const last = answers.find((answer) => versionOf(answer.headers) === 51);
    expect([body.description, versionOf(headers)]).toEqual([last?.body.description, 51]);
  });

  test('keep the lists of a restriction whole: the final one is one of those sent', async () => {
    const path = await createRestriction();
    // Lists of different lengths that share members, so that a mixture would show.
    const lists = indexes.map((i) =>
      policyIds
        .slice(i)
        .concat(policyIds.slice(0, i))
        .slice(0, (i % 7) + 1),
    );
    const answers = await Promise.all(lists.map((ids) => service.rest('PATCH', path, { ip_policy_ids: ids })));
    expect(answers.map(({ status }) => status)).toEqual(indexes.map(() => 200));
    expect(answers.map(({ headers }) => versionOf(headers)).sort((a, b) => a - b)).toEqual(indexes.map((i) => i + 2));
    const refs = (body: { ip_policies: { id: string }[] }) => body.ip_policies.map(({ id }) => id);
    const { body } = await service.rest('GET', path);
    const last = answers.findIndex(({ headers }) => versionOf(headers) === 51);
    expect(refs(body)).toEqual(lists[last]);
    for (const [i, answer] of answers.entries()) expect(refs(answer.body)).toEqual(lists[i]);
  });
});

test('changes of a module are each answered with what they wrote', async () => {
  const path = `/edges/tls/${(await service.rest('POST', '/edges/tls', {})).body.id}/policy`;
  const answers = await Promise.all(
    indexes.map((i) => service.rest(i % 5 === 0 ? 'DELETE' : 'PUT', path, { enabled: i % 2 === 0 })),
  );
  for (const [i, { status, body }] of answers.entries()) {
    if (i % 5 === 0) expect(status).toBe(204);
    else expect([status, body.enabled]).toEqual([200, i % 2 === 0]);
  }
});

describe('objects that are created and deleted at once', () => {
  test('never leave a rule without its policy, nor a failure of the server', async () => {
    const answers = await Promise.all(
      policyIds
        .slice(10, 30)
        .flatMap((id, i) => [
          service.rest('POST', '/ip_policy_rules', { ip_policy_id: id, cidr: `10.${i}.0.0/16`, action: 'allow' }),
          service.rest('DELETE', `/ip_policies/${id}`),
          service.rest('POST', '/ip_policy_rules', { ip_policy_id: id, cidr: `10.${i}.0.0/16`, action: 'deny' }),
        ]),
    );
    for (const { status, body } of answers) {
      expect([201, 204, 400]).toContain(status);
      if (status === 400) expect(['UNKNOWN_REFERENCE', 'DUPLICATE']).toContain(body.error_code);
    }
    const { body } = await service.rest('GET', '/ip_policy_rules');
    for (const { ip_policy: policy } of body.ip_policy_rules) {
      expect((await service.rest('GET', `/ip_policies/${policy.id}`)).status).toBe(200);
    }
  });

  test('never leave an edge without the backend that it was given at the same moment', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { body: backend } = await service.rest('POST', '/backends/tunnel_group', {});
      const { body: edge } = await service.rest('POST', '/edges/tls', {});
      const [put, deleted] = await Promise.all([
        service.rest('PUT', `/edges/tls/${edge.id}/backend`, { backend_id: backend.id }),
        service.rest('DELETE', `/backends/tunnel_group/${backend.id}`),
      ]);
      expect([
        [200, 409],
        [400, 204],
      ]).toContainEqual([put.status, deleted.status]);
    }
  });

  test('and a certificate that is deleted many times at once, is revoked once', async () => {
    const { body: authority } = await service.rest('POST', '/ssh_certificate_authorities', {});
    const values = { ssh_certificate_authority_id: authority.id, public_key: hostKeys.ed25519 };
    const { body } = await service.rest('POST', '/ssh_host_certificates', values);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => service.rest('DELETE', `/ssh_host_certificates/${body.id}`)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404, 404]);
  });

  test('and modules that are set and unset at once, never are a failure of the server', async () => {
    const edge = (await service.rest('POST', '/edges/tls', { hostports: ['modules.example.com:443'] })).body.id;
    const path = `/edges/tls/${edge}/policy`;
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, turn) =>
        turn % 3 === 0 ? service.rest('PUT', path, { enabled: true }) : service.rest('DELETE', path),
      ),
    );
    // On PostgreSQL, a request that waits too long behind the others is told to retry.
    const statuses = new Set(answers.map(({ status }) => status).filter((status) => status !== 503));
    expect([...statuses].sort()).toEqual([200, 204]);
  });

  test('of one range in one policy, only one is there', async () => {
    const rule = { ip_policy_id: policyIds[40], cidr: '192.0.2.0/24', action: 'allow' };
    const answers = await Promise.all(indexes.map(() => service.rest('POST', '/ip_policy_rules', rule)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.error_code === 'DUPLICATE')).toHaveLength(49);
  });
});
