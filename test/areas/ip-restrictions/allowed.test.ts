// The set of addresses that restrictions let pass: exactly the addresses that `evaluateIp` lets pass.

import { beforeAll, expect, test } from 'vitest';
import { findAllowed } from '../../../src/areas/ip-restrictions/allowed-store.ts';
import { everybody, rangesOf } from '../../../src/domain/ip/address-set.ts';
import { covers, parseAddress, readStoredWords, wordsOf } from '../../../src/domain/ip/cidr.ts';
import { commandLine } from '../../../src/storage/trail/origin.ts';
import { dataOf } from '../../support/answers.ts';
import { makePolicy, makeRestriction } from '../../support/ip-rules.ts';
import { startService, type TestService } from '../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});

const policyOf = (...rules: string[]) => makePolicy(service, rules);
const restrict = (ids: string[], enforced = true, type = 'endpoints') =>
  makeRestriction(service, ids, { type, enforced });

test('lets pass exactly whom evaluateIp lets pass', async () => {
  const [account] = await service.storage.accounts.list();
  const scope = service.storage.actingFor(account?.id ?? '', commandLine);
  expect((await findAllowed(scope, 'endpoints')).set).toEqual(everybody);

  const wide = await policyOf('allow 10.0.0.0/8', 'allow 2001:db8::/32', 'deny 10.2.0.0/16');
  const narrow = await policyOf('allow 10.0.0.0/14', 'deny 2001:db8:1::/48', 'allow 2001:db8::/40');
  const other = await policyOf('allow 0.0.0.0/0', 'allow ::/0', 'deny 10.1.2.3/32');
  const enforced = [await restrict([wide]), await restrict([narrow, wide]), await restrict([other])];
  const leftOut = [await restrict([await policyOf()], false)];
  await restrict([await policyOf()], true, 'agent');
  const found = await findAllowed(scope, 'endpoints');
  expect({ enforced: found.enforced, leftOut: found.leftOut }).toEqual({ enforced, leftOut });

  const ranges = [...rangesOf(found.set, 'ipv4'), ...rangesOf(found.set, 'ipv6')];
  const addresses = [
    '10.0.0.1',
    '10.1.2.3',
    '10.1.2.4',
    '10.2.0.1',
    '10.4.0.1',
    '192.0.2.1',
    '2001:db8::1',
    '2001:db8:1::1',
    '2001:db8:200::1',
    '::1',
    '::ffff:10.0.0.1',
  ];
  const isAllowed = async (address: string) =>
    dataOf(await service.graphql(`{ evaluateIp(address: "${address}", type: endpoints) { allowed } }`)).evaluateIp
      .allowed;
  const answers: boolean[] = [];
  for (const address of addresses) {
    const words = wordsOf(parseAddress('', address));
    answers.push(ranges.some((range) => covers(readStoredWords(range), words)));
    expect([address, answers.at(-1)]).toEqual([address, await isAllowed(address)]);
  }
  expect(new Set(answers).size).toBe(2);

  // A deleted policy counts as one without rules.
  const gone = await policyOf('allow 10.0.0.0/8');
  await restrict([gone]);
  expect((await service.rest('DELETE', `/ip_policies/${gone}`)).status).toBe(204);
  expect((await findAllowed(scope, 'endpoints')).set).toEqual({ ipv4: [], ipv6: [] });
});
