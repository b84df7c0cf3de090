// What a policy on its own decides about an address.

import { beforeAll, beforeEach, expect, test } from 'vitest';
import { dataOf, errorOf } from '../../support/answers.ts';
import { makePolicy } from '../../support/ip-rules.ts';
import { startService, type TestService } from '../../support/service.ts';

let shared: TestService;
let service: TestService;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = await shared.asNewAccount();
});

const question = `query ($id: ID!, $address: IpAddress!) {
  evaluateIpPolicy(ipPolicyId: $id, address: $address) { passes decidedBy { cidr action } }
}`;
const ask = (id: string, address: string) => service.graphql(question, { id, address });

test('tells whether the policy allows an address, and by which rule: the most specific one, of those that deny before the others', async () => {
  const policy = await makePolicy(service, [
    'allow 203.0.113.0/24',
    'allow 203.0.113.64/26',
    'deny 203.0.113.66/32',
    'allow 2001:db8::/32',
  ]);
  const answers = ['203.0.113.9', '203.0.113.65', '203.0.113.66', '2001:db8::7', '192.0.2.1'].map(
    async (address) => dataOf(await ask(policy, address)).evaluateIpPolicy,
  );
  expect(await Promise.all(answers)).toEqual([
    { passes: true, decidedBy: { cidr: '203.0.113.0/24', action: 'allow' } },
    { passes: true, decidedBy: { cidr: '203.0.113.64/26', action: 'allow' } },
    { passes: false, decidedBy: { cidr: '203.0.113.66/32', action: 'deny' } },
    { passes: true, decidedBy: { cidr: '2001:db8::/32', action: 'allow' } },
    { passes: false, decidedBy: null },
  ]);
});

test('a policy without rules allows nobody', async () => {
  expect(dataOf(await ask(await makePolicy(service, []), '192.0.2.1'))).toEqual({
    evaluateIpPolicy: { passes: false, decidedBy: null },
  });
});

test('refuses what is no address, and a policy of another account', async () => {
  const policy = await makePolicy(service, ['allow 0.0.0.0/0']);
  expect(errorOf(await ask(policy, '192.0.2.0/24'))).toMatchObject({ code: 'INVALID_INPUT', field: 'address' });
  service = await shared.asNewAccount();
  expect(errorOf(await ask(policy, '192.0.2.1'))).toMatchObject({ code: 'NOT_FOUND' });
});

test.each([
  ['evaluateIpPolicy', 'address: "192.0.2.1"'],
  ['evaluateIpPolicyChange', 'add: []'],
])('a document may ask for five of `%s`, because each reads a whole policy, and not for six', async (field, args) => {
  const policy = await makePolicy(service, ['allow 0.0.0.0/0']);
  const times = (count: number) => {
    const asked = Array.from(
      { length: count },
      (_, n) => `a${n}: ${field}(ipPolicyId: "${policy}", ${args}) { __typename }`,
    );
    return service.graphql(`{ ${asked.join(' ')} }`);
  };
  expect(Object.keys(dataOf(await times(5)))).toEqual(['a0', 'a1', 'a2', 'a3', 'a4']);
  expect(errorOf(await times(6))).toMatchObject({ code: 'QUERY_TOO_COMPLEX' });
});
