// What an enforcement point is told about an address: from memory, and never from data that has changed since.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createIpPolicy,
  createIpPolicyRule,
  deleteIpPolicyRules,
  ipPolicies,
  updateIpPolicyRule,
} from '../../../src/areas/ip-policies/store.ts';
import { objectionsTo } from '../../../src/areas/ip-restrictions/enforcement-store.ts';
import { prepareEvaluation } from '../../../src/areas/ip-restrictions/evaluation-store.ts';
import { createIpRestriction, ipRestrictions, updateIpRestriction } from '../../../src/areas/ip-restrictions/store.ts';
import { parseAddress } from '../../../src/domain/ip/cidr.ts';
import { formatTimestamp } from '../../../src/domain/values/time.ts';
import type { AccountScope } from '../../../src/storage/objects/account-scope.ts';
import { commandLine } from '../../../src/storage/trail/origin.ts';
import { passMs } from '../../support/clocks.ts';
import { executeNow } from '../../support/database.ts';
import { accountOf, startBeside, startService, type TestService } from '../../support/service.ts';
import { statementsOf } from '../../support/statements.ts';

let service: TestService;
let scope: AccountScope;
beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  scope = service.storage.actingFor(await accountOf(await service.asNewAccount()), commandLine);
});

/** Returns the ids of the restrictions that object. */
async function ask(address: string | null = '10.1.2.3', of = scope) {
  const { refusedBy, wouldRefuse } = await objectionsTo(
    of,
    'api',
    address === null ? null : parseAddress('address', address),
  );
  return { refusedBy: refusedBy.map(({ id }) => id), wouldRefuse: wouldRefuse.map(({ id }) => id) };
}

/** Creates a policy that allows a range. */
async function policyOf(cidr: string, of = scope) {
  const policy = await createIpPolicy(of, {});
  const rule = await createIpPolicyRule(of, { ipPolicyId: policy.id, cidr, action: 'allow' });
  return { id: policy.id, ruleId: rule.id };
}

async function restrict(ipPolicyIds: string[], enforced = true, type: 'api' | 'endpoints' = 'api', of = scope) {
  return (await createIpRestriction(of, { type, enforced, ipPolicyIds })).id;
}

describe('objections', () => {
  test('tell enforced restrictions from those that warn, oldest first, and leave out other types', async () => {
    const { id } = await policyOf('10.0.0.0/8');
    const refusing = [await restrict([id]), await restrict([id])];
    const warning = await restrict([id], false);
    await restrict([id], true, 'endpoints');
    expect(await ask('10.1.2.3')).toEqual({ refusedBy: [], wouldRefuse: [] });
    expect(await ask('11.1.2.3')).toEqual({ refusedBy: refusing, wouldRefuse: [warning] });
    expect(await ask('::1')).toEqual({ refusedBy: refusing, wouldRefuse: [warning] });
    expect(await ask(null)).toEqual({ refusedBy: refusing, wouldRefuse: [warning] });
    expect(await ask('::ffff:10.1.2.3')).toEqual({ refusedBy: [], wouldRefuse: [] });
  });

  test('are the same from memory as from `evaluateIp`, at every end of every range', async () => {
    const policies: string[] = [];
    const ends = ['9.255.255.255', '11.0.0.0', '::1', '2001:db8::', '2001:db9::'];
    for (const rules of [
      ['allow 10.0.0.0/8', 'deny 10.1.0.0/16', 'allow 10.1.2.0/24', 'allow 2001:db8::/32'],
      ['deny 10.2.0.0/15', 'allow 10.3.0.0/16'],
      ['allow 10.0.0.0/9', 'allow 2001:db8::/33'],
    ]) {
      const { id } = await createIpPolicy(scope, {});
      policies.push(id);
      for (const rule of rules) {
        const [action = '', cidr = ''] = rule.split(' ');
        await createIpPolicyRule(scope, { ipPolicyId: id, cidr, action: action === 'deny' ? 'deny' : 'allow' });
      }
    }
    const [one = '', other = '', third = ''] = policies;
    await restrict([one, other]);
    await restrict([third, one], false);
    for (const second of [0, 1, 2, 3, 4, 127, 128])
      ends.push(`10.${second}.0.0`, `10.${second}.2.7`, `10.${second}.255.255`);
    const { ask: evaluate } = await prepareEvaluation(scope, 'api');
    for (const end of ends) {
      const verdicts = await evaluate(parseAddress('address', end));
      const objecting = (enforced: boolean) =>
        verdicts.filter(({ passes, restriction }) => !passes && restriction.enforced === enforced);
      const idsOf = (enforced: boolean) => objecting(enforced).map(({ restriction }) => restriction.id);
      expect([end, await ask(end)]).toEqual([end, { refusedBy: idsOf(true), wouldRefuse: idsOf(false) }]);
    }
  });

  test('come from memory', async () => {
    const { id } = await policyOf('10.0.0.0/8');
    await restrict([id]);
    await ask();
    const { id: otherId } = await service.storage.accounts.create('without restrictions', commandLine);
    const other = service.storage.actingFor(otherId, commandLine);
    await ask('10.1.2.3', other);
    const asking = async () => {
      for (let time = 0; time < 100; time += 1) await Promise.all([ask(`10.0.0.${time}`), ask('11.0.0.1', other)]);
    };
    // Zero, unless a second passes: then each account is checked for changes once more.
    expect((await statementsOf(service, asking)).length).toBeLessThan(10);
  });

  test('count every change of this process for the next question', async () => {
    const { id, ruleId } = await policyOf('10.0.0.0/8');
    const refused = async (address: string) => (await ask(address)).refusedBy;
    expect(await refused('11.0.0.1')).toEqual([]);
    const restriction = await restrict([id]);
    expect(await refused('11.0.0.1')).toEqual([restriction]);
    const added = await createIpPolicyRule(scope, { ipPolicyId: id, cidr: '11.0.0.0/8', action: 'allow' });
    expect(await refused('11.0.0.1')).toEqual([]);
    await updateIpPolicyRule(scope, { id: added.id, action: 'deny' });
    expect(await refused('11.0.0.1')).toEqual([restriction]);
    await updateIpPolicyRule(scope, { id: added.id, action: 'allow' });
    await deleteIpPolicyRules(scope, [{ id: ruleId }]);
    expect([await refused('11.0.0.1'), await refused('10.0.0.1')]).toEqual([[], [restriction]]);
    await updateIpRestriction(scope, { id: restriction, enforced: false });
    expect(await ask('10.0.0.1')).toEqual({ refusedBy: [], wouldRefuse: [restriction] });
    await updateIpRestriction(scope, { id: restriction, enforced: true });
    await ipPolicies.remove(scope, id, null);
    expect(await refused('11.0.0.1')).toEqual([restriction]);
    await ipRestrictions.remove(scope, restriction, null);
    expect(await refused('11.0.0.1')).toEqual([]);
  });

  test('count a rule up to the second in which it ends, with nothing changed and nothing deleted', async () => {
    const { id } = await createIpPolicy(scope, {});
    const end = new Date('2026-11-20T21:01:30Z');
    const ending = { ipPolicyId: id, expiresAt: formatTimestamp(end) };
    await createIpPolicyRule(scope, { ...ending, cidr: '10.0.0.0/8', action: 'allow' });
    await createIpPolicyRule(scope, { ...ending, cidr: '11.0.0.0/16', action: 'deny' });
    await createIpPolicyRule(scope, { ipPolicyId: id, cidr: '11.0.0.0/8', action: 'allow' });
    const restriction = await restrict([id]);
    const both = async () => [(await ask('10.0.0.1')).refusedBy, (await ask('11.0.0.1')).refusedBy];
    expect(await both()).toEqual([[], [restriction]]);
    service.setTime(new Date(end.getTime() - 1));
    expect(await both()).toEqual([[], [restriction]]);
    service.setTime(end);
    // What began before the end must not be what the others are answered with.
    const early = Array.from({ length: 5 }, () => both());
    expect(await Promise.all([...early, both()])).toEqual(Array(6).fill([[restriction], []]));
  });

  test('count a change for all who ask after it while others still read', async () => {
    const policies = await Promise.all(Array.from({ length: 20 }, () => policyOf('10.0.0.0/8')));
    const restriction = await restrict(policies.map(({ id }) => id));
    const [{ ruleId } = { ruleId: '' }] = policies;
    const early = Array.from({ length: 10 }, () => ask());
    await updateIpPolicyRule(scope, { id: ruleId, action: 'deny' });
    const late = await Promise.all(Array.from({ length: 10 }, () => ask()));
    expect(late).toEqual(Array(10).fill({ refusedBy: [restriction], wouldRefuse: [] }));
    await Promise.all(early);
    expect((await ask()).refusedBy).toEqual([restriction]);
  });

  test('count what another process has changed, within a second', async () => {
    const { id } = await policyOf('10.0.0.0/8');
    await restrict([id]);
    expect((await ask()).refusedBy).toEqual([]);
    const beside = await startBeside(service);
    const other = beside.storage.actingFor(scope.accountId, commandLine);
    const second = await restrict([(await createIpPolicy(other, {})).id], true, 'api', other);
    expect(await ask('10.1.2.3', other)).toEqual({ refusedBy: [second], wouldRefuse: [] });
    await passMs(1_000);
    expect((await ask()).refusedBy).toEqual([second]);
    await beside.close();
  });

  test('are none for another account', async () => {
    await restrict([(await policyOf('10.0.0.0/8')).id]);
    const { id } = await service.storage.accounts.create('other', commandLine);
    expect(await ask('11.0.0.1', service.storage.actingFor(id, commandLine))).toEqual({
      refusedBy: [],
      wouldRefuse: [],
    });
  });

  test('are unknown where the database does not tell whether something has changed', async () => {
    await restrict([(await policyOf('10.0.0.0/8')).id]);
    expect((await ask()).refusedBy).toEqual([]);
    executeNow(service.database, 'ALTER TABLE "IpRestriction" RENAME TO "Hidden"');
    await passMs(1_000);
    await expect(ask()).rejects.toThrow();
    // Reads in one event loop turn share their result.
    await nextTurn();
    executeNow(service.database, 'ALTER TABLE "Hidden" RENAME TO "IpRestriction"');
    expect((await ask()).refusedBy).toEqual([]);
  });

  test('are unknown where more is enforced than can be held, and leave out what only warns where that is too much', async () => {
    const [small, large] = [await policyOf('10.0.0.0/8'), await policyOf('10.0.0.0/8')];
    executeNow(service.database, `UPDATE "IpPolicy" SET "ruleCount" = 3000000 WHERE "id" = '${large.id}'`);
    const enforced = await restrict([small.id]);
    const warning = await restrict([large.id], false);
    expect(await ask('11.0.0.1')).toEqual({ refusedBy: [enforced], wouldRefuse: [] });
    await updateIpRestriction(scope, { id: warning, enforced: true });
    await expect(ask('10.0.0.1')).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message:
        'The enforced IP restrictions of type api have more rules than the server can hold. Nobody is let in until an operator ' +
        "suspends them: the server's log says how.",
      cause: {
        message: `Too many rules. Suspend them: sallyport restrictions suspend --account ${scope.accountId} --type api`,
      },
    });
    expect(await statementsOf(service, () => ask('10.0.0.1').catch(() => {}))).toEqual([]);
    await updateIpRestriction(scope, { id: warning, enforced: false });
    expect((await ask('10.0.0.1')).refusedBy).toEqual([]);
  });
});
