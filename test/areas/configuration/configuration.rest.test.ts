// Documents of the configuration over REST: the same as over GraphQL, with REST's names, header and statuses.

import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';

const service = await startService();

const document = {
  ipPolicies: { office: { rules: [{ cidr: '203.0.113.0/24', action: 'allow' }] } },
  ipRestrictions: { web: { type: 'endpoints', enforced: true, ipPolicyIds: ['office'] } },
};

test('a document is planned, applied as planned, and exported', async () => {
  const client = await service.asNewAccount();
  const planned = await client.rest('PUT', '/configuration/plan', { document });
  expect([planned.status, planned.body]).toEqual([
    200,
    {
      document: 'main',
      digest: expect.any(String),
      requests: 3,
      changes: [
        expect.objectContaining({ action: 'create', kind: 'IpPolicy', name: 'office', id: null }),
        expect.objectContaining({ action: 'create', kind: 'IpRestriction', name: 'web', id: null }),
      ],
      asks: [],
      left: [],
      access: [expect.objectContaining({ traffic: 'endpoints' })],
      refusals: [],
    },
  ]);
  const { digest } = planned.body;
  const applied = await client.rest('PUT', '/configuration/apply', { document, digest });
  expect([applied.status, applied.body]).toEqual([200, { plan: planned.body, shown_once: [] }]);
  const exported = await client.rest('GET', '/configuration');
  expect([exported.status, exported.body]).toEqual([200, { document, missing: [] }]);
  const outdated = await client.rest('PUT', '/configuration/apply', { document: {}, digest, prune: true });
  expect([outdated.status, outdated.body.error_code]).toEqual([409, 'PLAN_OUTDATED']);
  const pruned = await client.rest('PUT', '/configuration/apply', { document: {}, prune: true });
  expect([pruned.status, pruned.body.plan.changes.length]).toEqual([200, 2]);
});

test('what exists is given to a document, and a repeated request gives it again', async () => {
  const client = await service.asNewAccount();
  const { body: policy } = await client.rest('POST', '/ip_policies', { description: 'office' });
  const headers = { 'Idempotency-Key': 'once' };
  const imported = await client.rest('PUT', '/configuration/import', { document }, headers);
  expect([imported.status, imported.body]).toEqual([
    200,
    {
      objects: [{ kind: 'IpPolicy', name: 'office', id: policy.id }],
      plan: expect.objectContaining({
        changes: [
          expect.objectContaining({ action: 'update', kind: 'IpPolicy', name: 'office', id: policy.id }),
          expect.objectContaining({ action: 'create', kind: 'IpRestriction', name: 'web', id: null }),
        ],
      }),
    },
  ]);
  expect((await client.rest('PUT', '/configuration/import', { document }, headers)).body).toEqual(imported.body);
  expect((await client.rest('PUT', '/configuration/import', { document })).body.objects).toEqual([]);
  expect((await client.rest('GET', `/ip_policies/${policy.id}`)).body).toEqual(policy);
});

test('an application is repeated safely, and forced by the header', async () => {
  const client = await service.asNewAccount();
  // The clients here connect from 127.0.0.1.
  const ipRestrictions = { api: { type: 'api', enforced: true, ipPolicyIds: ['office'] } };
  const closing = { document: { ...document, ipRestrictions } };
  const refused = await client.rest('PUT', '/configuration/apply', closing);
  expect([refused.status, refused.body.error_code]).toEqual([409, 'LOCKOUT']);
  const planned = await client.rest('PUT', '/configuration/plan', closing);
  expect(planned.body.refusals).toEqual([expect.objectContaining({ code: 'LOCKOUT' })]);
  const headers = { 'Sallyport-Force': 'true', 'Idempotency-Key': 'once' };
  const forced = await client.rest('PUT', '/configuration/apply', closing, headers);
  expect([forced.status, forced.body.plan.changes.length]).toEqual([200, 2]);
});

test('a call that is wrong says what is', async () => {
  const client = await service.asNewAccount();
  const refusal = async (step: string, body: object) => {
    const { status, body: error } = await client.rest('PUT', `/configuration/${step}`, body);
    return [status, error.error_code, error.msg];
  };
  const wrong = { document: { ipPolicies: { office: { descripton: 'x' } } } };
  for (const step of ['plan', 'apply']) {
    expect(await refusal(step, {})).toEqual([400, 'INVALID_INPUT', 'document: is required; it must be a JSON value.']);
    expect(await refusal(step, { document: [], prune: true })).toEqual([
      400,
      'INVALID_INPUT',
      'document: must be an object with the collections of the configuration.',
    ]);
    expect(await refusal(step, wrong)).toEqual([
      400,
      'UNKNOWN_FIELD',
      'ipPolicies.office.descripton: is unknown: there is no "descripton" here. Known: description, metadata, rules, sources.',
    ]);
    expect(await refusal(step, { document: {}, prune: 'yes' })).toEqual([
      400,
      'INVALID_INPUT',
      'prune: must be true or false or null.',
    ]);
  }
  expect((await refusal('plan', { document: {}, digest: 'x' }))[1]).toBe('READ_ONLY_FIELD');
  expect((await client.rest('POST', '/configuration', { document })).status).toBe(405);
});
