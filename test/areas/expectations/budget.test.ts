// All expectations of an account are asked within one budget: what they share is done once, what goes beyond it is unknown and holds
// nothing up, and other work gets its turns.

import { AsyncLocalStorage } from 'node:async_hooks';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { askAbout, failuresAfter, readExpectations } from '../../../src/areas/expectations/asking-store.ts';
import { createExpectation } from '../../../src/areas/expectations/store.ts';
import { createTlsEdge } from '../../../src/areas/tls-edges/store.ts';
import { createEffort } from '../../../src/domain/concurrency/effort.ts';
import type { AccountScope } from '../../../src/storage/objects/account-scope.ts';
import { commandLine } from '../../../src/storage/trail/origin.ts';
import { dataOf } from '../../support/answers.ts';
import { turnsOf } from '../../support/asked-turns.ts';
import { makePolicy, makeRestriction } from '../../support/ip-rules.ts';
import { startService, type TestService } from '../../support/service.ts';
import { tablesRead } from '../../support/statements.ts';

let shared: TestService;
let service: TestService;
let scope: AccountScope;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = await shared.asNewAccount();
  const { viewer } = dataOf(await service.graphql('{ viewer { account { id } } }'));
  scope = service.storage.actingFor(viewer.account.id, commandLine);
});

/** Creates expectations about ranges, and two policies that two restrictions name. */
async function expectRanges(count: number) {
  const policies = [
    await makePolicy(service, ['allow 10.0.0.0/8', 'deny 10.1.0.0/16']),
    await makePolicy(service, ['allow 192.0.2.0/24']),
  ];
  for (const ids of [policies, policies.slice(0, 1)]) await makeRestriction(service, ids);
  for (let index = 0; index < count; index += 1) {
    const address = index % 2 === 0 ? '0.0.0.0/0' : `10.${index}.0.0/16`;
    const input = {
      name: `range ${index}`,
      kind: 'ip',
      expected: 'allowed',
      trafficType: 'endpoints',
      address,
    } as const;
    await createExpectation(scope, input);
  }
}

test('the rules of each policy are read once for all ranges', async () => {
  await expectRanges(40);
  const expectations = await readExpectations(scope);
  const asked = await askAbout(scope, expectations);
  expect(asked.slice(0, 4).map(({ answer }) => [answer.outcome, answer.reason])).toEqual([
    ['mixed', 'Of 0.0.0.0/0, 10.0.0.0-10.0.255.255 is let in, and 0.0.0.0-9.255.255.255 is not.'],
    ['refused', 'No address of 10.1.0.0/16 is let in.'],
    ['mixed', 'Of 0.0.0.0/0, 10.0.0.0-10.0.255.255 is let in, and 0.0.0.0-9.255.255.255 is not.'],
    ['allowed', 'Every address of 10.3.0.0/16 is let in.'],
  ]);
  const tables = await tablesRead(service, () => askAbout(scope, expectations));
  expect(tables.filter((table) => table === 'IpPolicyRule')).toEqual(['IpPolicyRule', 'IpPolicyRule']);
  expect(tables.length).toBeLessThan(10);
});

test('what goes beyond the budget is unknown, and holds nothing up', async () => {
  await expectRanges(2);
  const expectations = await readExpectations(scope);
  const signal = new AbortController().signal;
  const asked = await askAbout(scope, expectations, signal, 20);
  expect(asked.map(({ answer, isMet }) => ({ ...answer, isMet }))).toEqual(
    [0, 1].map(() => ({
      outcome: 'unknown',
      logged: null,
      reason: 'The account has too much to look at.',
      isTooMuch: true,
      isMet: false,
    })),
  );
  const deltas = [{ model: 'IpRestriction', kind: 'update', where: { id: '' }, columns: { enforced: true } }] as never;
  expect(await failuresAfter(scope, deltas, expectations, signal, 20)).toEqual([]);
});

test('a TLS policy is read once for all connections', async () => {
  const edge = await createTlsEdge(scope, {});
  await service.graphql(
    'mutation ($input: ReplaceTlsEdgePolicyInput!) { replaceTlsEdgePolicy(input: $input) { __typename } }',
    { input: { edgeId: edge.id, inbound: [{ expressions: ['[1, 2].all(a, a > 2)'], actions: [{ type: 'deny' }] }] } },
  );
  for (let index = 0; index < 20; index += 1) {
    const input = {
      name: `${index}`,
      kind: 'tls',
      expected: 'allowed',
      address: '192.0.2.1',
      tlsEdgeId: edge.id,
    } as const;
    await createExpectation(scope, input);
  }
  const expectations = await readExpectations(scope);
  const tables = await tablesRead(service, async () => {
    const asked = await askAbout(scope, expectations);
    expect(asked.map(({ isMet }) => isMet)).toEqual(expectations.map(() => true));
  });
  expect(tables.filter((table) => table === 'TlsPolicyModule')).toEqual(['TlsPolicyModule']);
});

test('other work gets a turn whenever enough has been counted, and nothing is done once nobody waits', async () => {
  const left = new AbortController();
  const effort = createEffort(100_000, left.signal);
  // The servers of this file may ask for turns meanwhile.
  const own = new AsyncLocalStorage<true>();
  const work = async () => {
    for (let step = 0; step < 10; step += 1) {
      effort.spend(3_000);
      await effort.breathe();
    }
  };
  const { turns } = await turnsOf(
    () => own.run(true, work),
    () => own.getStore() === true,
  );
  expect(turns).toBe(10);
  expect(() => effort.spend(70_001)).toThrow('The account has too much to look at.');
  effort.spend(70_000);
  left.abort(new Error('gone'));
  await expect(effort.breathe()).rejects.toThrow('gone');
});

test('an evaluation ends when nobody is waiting for it', async () => {
  await expectRanges(2);
  const left = new AbortController();
  const asking = askAbout(scope, await readExpectations(scope), left.signal);
  left.abort(new Error('gone'));
  await expect(asking).rejects.toThrow('gone');
});
