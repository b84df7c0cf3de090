// A field that fails leaves the answers of other fields unchanged; on REST, its error is the answer, as always.

import { beforeAll, expect, test } from 'vitest';
import { dataOf, failureOf, invalidField, notFound } from '../support/answers.ts';
import { createClient, startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});

const gone = 'ipp_00000000000000000000000000';
const errorsOf = ({ errors }: { errors?: readonly { path?: unknown; extensions: { code?: unknown } }[] | undefined }) =>
  errors?.map(({ path, extensions }) => ({ path, code: extensions.code }));

test('a mutation that fails takes nothing from those before and after it: a new key shows its token', async () => {
  const answer = await service.graphql(`mutation {
    before: createApiKey(input: { description: "before" }) { apiKey { token } }
    failing: updateIpPolicy(input: { id: "${gone}", description: "x" }) { ipPolicy { id } }
    refused: createIpPolicyRule(input: { ipPolicyId: "${gone}", cidr: "10.0.0.0/8", action: allow }) { ipPolicyRule { id } }
    alsoGone: deleteIpPolicy(input: { id: "${gone}" }) { deletedId }
    after: createApiKey(input: { description: "after" }) { apiKey { token } }
  }`);
  expect(answer).toMatchObject({ status: 200, data: { failing: null, refused: null, alsoGone: null } });
  expect(errorsOf(answer)).toEqual([
    { path: ['failing'], code: 'NOT_FOUND' },
    { path: ['refused'], code: 'UNKNOWN_REFERENCE' },
    { path: ['alsoGone'], code: 'NOT_FOUND' },
  ]);
  for (const description of ['before', 'after']) {
    const client = createClient(service.url, answer.data[description].apiKey.token);
    const { viewer } = dataOf(await client.graphql('{ viewer { apiKey { description } } }'));
    expect(viewer).toEqual({ apiKey: { description } });
  }
});

test('a look-up of an object that is gone leaves the rest of a page', async () => {
  const answer = await service.graphql(`{
    ipPolicy(id: "${gone}") { id }
    httpsEdgeRoutes(edgeId: "edghts_00000000000000000000000000") { nodes { id } }
    evaluateIp(address: "nowhere", type: api) { allowed }
    wrongPage: ipPolicies(first: 0) { nodes { id } }
    tlsEdges { nodes { id } }
    viewer { account { name } }
  }`);
  expect(answer.status).toBe(200);
  expect(answer.data).toEqual({
    ipPolicy: null,
    httpsEdgeRoutes: null,
    evaluateIp: null,
    wrongPage: null,
    tlsEdges: { nodes: [] },
    viewer: { account: { name: 'default' } },
  });
  // Errors appear as soon as they are known, which is not the order of the document.
  expect(
    errorsOf(answer)
      ?.map(({ path, code }) => `${path} ${code}`)
      .sort(),
  ).toEqual(['evaluateIp INVALID_INPUT', 'httpsEdgeRoutes NOT_FOUND', 'ipPolicy NOT_FOUND', 'wrongPage INVALID_INPUT']);
});

test('an error beneath an object takes that object alone', async () => {
  const { id } = (await service.rest('POST', '/ssh_certificate_authorities', {})).body;
  const answer = await service.graphql(`{
    wrong: sshCertificateAuthority(id: "${id}") { id hostCertificates(first: 0) { nodes { id } } }
    right: sshCertificateAuthority(id: "${id}") { id }
  }`);
  expect(answer.data).toEqual({ wrong: null, right: { id } });
  expect(errorsOf(answer)).toEqual([{ path: ['wrong', 'hostCertificates'], code: 'INVALID_INPUT' }]);
});

test('once an answer is too large to be given, no further change is begun, and those before are answered', async () => {
  const wide = Array.from({ length: 60 }, (_, index) => `f${index}: description`).join(' ');
  const created: string[] = [];
  for (let count = 0; count < 100; count += 1) created.push((await service.rest('POST', '/ip_policies', {})).body.id);
  const { id } = (await service.rest('POST', '/ip_restrictions', { type: 'api', ip_policy_ids: created })).body;
  const lists = (count: number) =>
    Array.from({ length: count }, (_, index) => `l${index}: ipPolicies { ${wide} }`).join(' ');
  const fitting = `fitting: updateIpRestriction(input: { id: "${id}" }) { ipRestriction { ${lists(2)} } }`;
  const answer = await service.graphql(`mutation {
    key: createApiKey(input: {}) { apiKey { token } }
    ${fitting}
    large: updateIpRestriction(input: { id: "${id}", description: "large" }) { ipRestriction { ${lists(1)} } }
    later: createIpPolicy(input: { description: "later" }) { ipPolicy { id } }
  }`);
  const { data } = await service.graphql(`mutation { ${fitting} }`);
  // The part that fits is large enough to be written in pieces.
  expect(JSON.stringify(data).length).toBeGreaterThan(65_536);
  expect(answer.data).toEqual({ key: { apiKey: { token: expect.any(String) } }, ...data, large: null, later: null });
  expect(answer.errors?.map(({ path, extensions }) => [path?.[0], extensions.code])).toEqual(
    expect.arrayContaining([
      ['large', 'QUERY_TOO_COMPLEX'],
      ['later', 'QUERY_TOO_COMPLEX'],
    ]),
  );
  const { ipPolicies } = dataOf(await service.graphql('{ ipPolicies(first: 1) { nodes { description } } }'));
  expect(ipPolicies.nodes).toEqual([{ description: '' }]);
});

test('on REST the error of the document is the answer with its status, not a 404 for what is null', async () => {
  const rest = async (method: string, path: string, body?: object, headers?: Record<string, string>) =>
    failureOf(await service.rest(method, path, body, headers));
  expect(await rest('GET', `/ip_policies/${gone}`)).toEqual(notFound);
  expect(await rest('DELETE', `/ip_policies/${gone}`)).toEqual(notFound);
  expect(await rest('GET', '/ip_policies?limit=0')).toEqual(invalidField('limit', 'must be from 1 to 100.'));
  expect(await rest('POST', '/ip_policy_rules', { ip_policy_id: gone, cidr: '10.0.0.0/8', action: 'allow' })).toEqual(
    invalidField('ip_policy_id', `There is no IP policy "${gone}" in this account.`, 'UNKNOWN_REFERENCE'),
  );
  const { id } = (await service.rest('POST', '/ip_policies', {})).body;
  expect(await rest('PATCH', `/ip_policies/${id}`, { description: 'x' }, { 'If-Match': '"7"' })).toMatchObject({
    status: 412,
    code: 'VERSION_CONFLICT',
  });
});
