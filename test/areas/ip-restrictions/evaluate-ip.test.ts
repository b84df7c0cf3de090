// Which addresses the restrictions let pass, according to `evaluateIp`.

import { randomBytes } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import {
  createIpPolicy,
  createIpPolicyRule,
  deleteIpPolicyRules,
  updateIpPolicyRule,
} from '../../../src/areas/ip-policies/store.ts';
import { prepareEvaluation } from '../../../src/areas/ip-restrictions/evaluation-store.ts';
import { createIpRestriction, updateIpRestriction } from '../../../src/areas/ip-restrictions/store.ts';
import { parseAddress } from '../../../src/domain/ip/cidr.ts';
import { openStorage } from '../../../src/storage/storage.ts';
import { commandLine } from '../../../src/storage/trail/origin.ts';
import { dataOf, errorOf } from '../../support/answers.ts';
import { turnsOf } from '../../support/asked-turns.ts';
import { executeNow } from '../../support/database.ts';
import { makePolicy, makeRestriction } from '../../support/ip-rules.ts';
import { plant } from '../../support/planting.ts';
import { ofOneServer, ownService, startService, type TestService } from '../../support/service.ts';
import { countStatements, statementsOf, tablesRead } from '../../support/statements.ts';

/** How often versions are read, to make sure that nothing changed between the first reading and the last. */
const readings = inject('engine') === 'sqlite' ? 1 : 2;

let shared: TestService;
let service: TestService;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = await shared.asNewAccount();
});

const ownAccountId = async (): Promise<string> =>
  dataOf(await service.graphql('{ viewer { account { id } } }')).viewer.account.id;
const ownScope = async () => service.storage.actingFor(await ownAccountId(), commandLine);

const policyOf = (...rules: string[]) => makePolicy(service, rules);
const restrict = (ids: string[], options = {}) => makeRestriction(service, ids, options);

const query = `query ($address: IpAddress!, $type: IpRestrictionType!) {
  evaluateIp(address: $address, type: $type) {
    allowed
    warned
    verdicts { passes effect restriction { id } decidedBy { action cidr ipPolicy { id } } }
  }
}`;

const ask = (address: unknown, type = 'endpoints') => service.graphql(query, { address, type });
const evaluate = async (address: string, type = 'endpoints') => dataOf(await ask(address, type)).evaluateIp;

/** Returns whether an address gets in, and the rule that decided. */
async function decision(address: string) {
  const { allowed, verdicts } = await evaluate(address);
  const rule = verdicts[0].decidedBy;
  return [allowed, rule && `${rule.action} ${rule.cidr}`];
}

describe('evaluateIp', () => {
  test('answers with what each restriction says, and why', async () => {
    const policy = await policyOf('allow 10.0.0.0/8');
    const restriction = await restrict([policy]);
    expect(await evaluate('10.1.2.3')).toEqual({
      allowed: true,
      warned: false,
      verdicts: [
        {
          passes: true,
          effect: 'pass',
          restriction: { id: restriction },
          decidedBy: { action: 'allow', cidr: '10.0.0.0/8', ipPolicy: { id: policy } },
        },
      ],
    });
    expect(await evaluate('11.1.2.3')).toEqual({
      allowed: false,
      warned: false,
      verdicts: [{ passes: false, effect: 'refuse', restriction: { id: restriction }, decidedBy: null }],
    });
  });

  test('takes an IPv4 address in IPv6 for the IPv4 address', async () => {
    await restrict([await policyOf('allow 10.0.0.0/8')]);
    for (const address of ['::ffff:10.1.2.3', '::ffff:a01:203']) {
      expect(await decision(address)).toEqual([true, 'allow 10.0.0.0/8']);
    }
    expect(await decision('::ffff:11.1.2.3')).toEqual([false, null]);
  });

  test('lets everybody in where no restriction of the type is', async () => {
    await restrict([await policyOf()], { type: 'agent' });
    expect(await evaluate('192.0.2.1', 'endpoints')).toEqual({ allowed: true, warned: false, verdicts: [] });
    expect((await evaluate('192.0.2.1', 'agent')).allowed).toBe(false);
  });

  test('asks all enforced restrictions to let the address pass, oldest first', async () => {
    const first = await restrict([await policyOf('allow 10.0.0.0/8')]);
    const second = await restrict([await policyOf('allow 10.1.0.0/16')]);
    expect((await evaluate('10.1.0.1')).allowed).toBe(true);
    const { allowed, warned, verdicts } = await evaluate('10.2.0.1');
    expect([allowed, warned]).toEqual([false, false]);
    expect(verdicts).toMatchObject([
      { restriction: { id: first }, passes: true, effect: 'pass' },
      { restriction: { id: second }, passes: false, effect: 'refuse', decidedBy: null },
    ]);
  });

  test('tells enforced restrictions from those that warn', async () => {
    const policy = await policyOf('allow 10.0.0.0/8');
    await restrict([policy], { enforced: false });
    await restrict([policy], { enforced: true });
    const { allowed, warned, verdicts } = await evaluate('11.0.0.1');
    expect([allowed, warned]).toEqual([false, true]);
    expect(verdicts.map(({ effect }: { effect: string }) => effect)).toEqual(['warn', 'refuse']);
  });

  test('counts a deleted policy as one with zero rules', async () => {
    const [denying, allowing] = [await policyOf('deny 10.1.0.0/16'), await policyOf('allow 10.0.0.0/8')];
    await restrict([denying, allowing]);
    expect(await decision('10.1.0.1')).toEqual([false, 'deny 10.1.0.0/16']);
    await service.rest('DELETE', `/ip_policies/${denying}`);
    expect(await decision('10.1.0.1')).toEqual([true, 'allow 10.0.0.0/8']);
    await service.rest('DELETE', `/ip_policies/${allowing}`);
    expect(await decision('10.1.0.1')).toEqual([false, null]);
  });

  test('follows a changed rule at once', async () => {
    await restrict([await policyOf('allow 10.0.0.0/8')]);
    const { id } = (await service.rest('GET', '/ip_policy_rules')).body.ip_policy_rules[0];
    await service.rest('PATCH', `/ip_policy_rules/${id}`, { cidr: '11.0.0.0/8' });
    expect([await decision('10.0.0.1'), await decision('11.0.0.1')]).toEqual([
      [false, null],
      [true, 'allow 11.0.0.0/8'],
    ]);
    await service.rest('PATCH', `/ip_policy_rules/${id}`, { action: 'deny' });
    expect(await decision('11.0.0.1')).toEqual([false, 'deny 11.0.0.0/8']);
  });

  test.each([
    '',
    'localhost',
    '10.1',
    '010.0.0.1',
    '0x0a000001',
    '167772161',
    '10.0.0.1/32',
    ' 10.0.0.1',
    'fe80::1%eth0',
  ])('refuses "%s" as an address', async (address) => {
    expect(errorOf(await ask(address))).toEqual({
      code: 'INVALID_INPUT',
      field: 'address',
      message: 'address: must be an IPv4 or IPv6 address such as 192.0.2.1 or 2001:db8::1.',
    });
  });

  test.each([
    [10, 'api', 'address', 'must be a string.'],
    [null, 'api', 'address', 'must be a string.'],
    ['10.0.0.1', 'all', 'type', 'must be one of "dashboard", "api", "agent", "endpoints".'],
  ])('refuses the address %j with the type %j', async (address, type, field, problem) => {
    expect(errorOf(await ask(address, type))).toEqual({
      code: 'INVALID_INPUT',
      field,
      message: `${field}: ${problem}`,
    });
  });

  test('asks nothing of the restrictions of another account', async () => {
    await restrict([await policyOf()]);
    const stranger = await service.otherAccount('other');
    expect(dataOf(await stranger.graphql(query, { address: '10.0.0.1', type: 'endpoints' }))).toEqual({
      evaluateIp: { allowed: true, warned: false, verdicts: [] },
    });
  });

  test('does not cost more statements for more restrictions, once it has read their rules', async () => {
    service = ofOneServer(service);
    const grow = async () => restrict([await policyOf('allow 10.0.0.0/8'), await policyOf('deny 10.1.0.0/16')]);
    await grow();
    await grow();
    await evaluate('10.1.0.1');
    const few = await countStatements(service, () => evaluate('10.1.0.1'));
    for (let times = 0; times < 5; times += 1) await grow();
    await evaluate('10.1.0.1');
    expect(await countStatements(service, () => evaluate('10.1.0.1'))).toBe(few);
    expect(few).toBeLessThanOrEqual(7);
  });

  test('reads nothing but versions when nothing has changed, and only the rules of the policy that has', async () => {
    service = ofOneServer(service);
    const policies = [await policyOf('allow 10.0.0.0/8'), await policyOf('deny 10.1.0.0/16'), await policyOf()];
    await restrict(policies);
    await restrict(policies.slice(1));
    const ask = () =>
      tablesRead(service, () => service.graphql(`{ evaluateIp(address: "10.1.0.1", type: endpoints) { allowed } }`));
    const versions = Array.from({ length: readings }, () => ['IpRestriction', 'IpPolicy']).flat();
    const first = await ask();
    expect(first.filter((table) => table === 'IpPolicyRule')).toHaveLength(3);
    expect(await ask()).toEqual(versions);
    const rule = (cidr: string) => ({ ip_policy_id: policies[2], action: 'allow', cidr });
    const { body } = await service.rest('POST', '/ip_policy_rules', rule('10.1.0.0/16'));
    const changes = [
      () => service.rest('PATCH', `/ip_policy_rules/${body.id}`, { action: 'deny' }),
      () => service.rest('PATCH', `/ip_policy_rules/${body.id}`, { cidr: '10.2.0.0/16' }),
      () => service.rest('DELETE', `/ip_policy_rules/${body.id}`),
      () => service.rest('POST', '/ip_policy_rules', rule('10.3.0.0/16')),
    ];
    for (const change of changes) {
      await change();
      expect((await ask()).filter((table) => table === 'IpPolicyRule')).toHaveLength(1);
      expect(await ask()).toEqual(versions);
    }
    // The description does not affect the decision.
    await service.rest('PATCH', `/ip_policies/${policies[2]}`, { description: 'new' });
    expect(await ask()).toEqual(versions);
  });

  test('answers from one moment where all changes between the readings of restrictions and of policies', async () => {
    service = ofOneServer(await ownService());
    const [first, second] = [await policyOf('allow 10.0.0.0/8'), await policyOf('allow 10.0.0.0/8')];
    const id = await restrict([first]);
    await evaluate('10.0.0.1');
    const sql = [
      `UPDATE "IpRestrictionPolicy" SET "ipPolicyId" = '${second}' WHERE "ipRestrictionId" = '${id}'`,
      `UPDATE "IpRestriction" SET "version" = "version" + 1 WHERE "id" = '${id}'`,
      `DELETE FROM "IpPolicy" WHERE "id" = '${first}'`,
    ];
    let isBefore = true;
    const push = service.statements.push.bind(service.statements);
    service.statements.push = (...statements) => {
      if (isBefore && statements.some((text) => text.includes('FROM "IpPolicy" WHERE'))) {
        isBefore = false;
        executeNow(service.database, ...sql);
      }
      return push(...statements);
    };
    // The address passes both before and after the change.
    expect((await evaluate('10.0.0.1')).allowed).toBe(true);
    expect(isBefore).toBe(false);
  });

  test('follows at once what another process has written', async () => {
    const policy = await policyOf('allow 10.0.0.0/8');
    const restriction = await restrict([policy]);
    expect((await evaluate('10.0.0.1')).allowed).toBe(true);
    const accountId = await ownAccountId();
    const secretKey = () => randomBytes(32);
    const other = await openStorage({
      engine: service.database.engine,
      now: () => new Date(),
      randomBytes,
      secretKey,
    });
    const scope = other.actingFor(accountId, commandLine);
    const rule = await createIpPolicyRule(scope, { ipPolicyId: policy, cidr: '10.0.0.0/16', action: 'deny' });
    expect(await decision('10.0.0.1')).toEqual([false, 'deny 10.0.0.0/16']);
    await updateIpPolicyRule(scope, { id: rule.id, action: 'allow' });
    expect(await decision('10.0.0.1')).toEqual([true, 'allow 10.0.0.0/16']);
    await deleteIpPolicyRules(scope, [{ id: rule.id }]);
    expect(await decision('10.0.0.1')).toEqual([true, 'allow 10.0.0.0/8']);
    const { id } = await createIpPolicy(scope, {});
    await updateIpRestriction(scope, { id: restriction, ipPolicyIds: [id] });
    expect(await decision('10.0.0.1')).toEqual([false, null]);
    await other.close();
  });

  test('counts a change that is made while it reads the rules', async () => {
    const policies = await Promise.all(Array.from({ length: 40 }, () => policyOf('allow 10.0.0.0/8')));
    await restrict(policies);
    const { id } = (await service.rest('GET', '/ip_policy_rules')).body.ip_policy_rules[0];
    const asked = evaluate('10.0.0.1');
    await service.rest('PATCH', `/ip_policy_rules/${id}`, { action: 'deny' });
    await asked;
    expect((await evaluate('10.0.0.1')).allowed).toBe(false);
  });

  test('lets everybody else have a turn after each policy that it compiles, and shares the work with who asks too', async () => {
    const policyCount = 20;
    const scope = await ownScope();
    const ids: string[] = [];
    for (let policy = 0; policy < policyCount; policy += 1) {
      const { id } = await createIpPolicy(scope, {});
      ids.push(id);
      const rules = Array.from({ length: 100 }, (_, index) => {
        const cidr = `10.0.${index}.${policy}/32`;
        const ruleId = `ipr_${String(policy * 100 + index).padStart(26, '0')}`;
        const { accountId } = scope;
        return { id: ruleId, accountId, ipPolicyId: id, cidr, range: cidr, action: 'allow', createdAt: new Date(0) };
      });
      await plant(scope, 'IpPolicyRule', rules);
    }
    await createIpRestriction(scope, { type: 'endpoints', ipPolicyIds: ids });
    let turns = 0;
    let asking = true;
    const count = () => {
      turns += 1;
      if (asking) setImmediate(count);
    };
    setImmediate(count);
    const read = await tablesRead(service, async () => {
      const evaluations = await Promise.all([1, 2, 3].map(() => prepareEvaluation(scope, 'endpoints')));
      asking = false;
      for (const evaluation of evaluations) {
        const [verdict] = await evaluation.ask(parseAddress('address', '10.0.99.19'));
        expect(verdict).toMatchObject({ passes: true, decidedBy: { id: `ipr_${'1999'.padStart(26, '0')}` } });
      }
    });
    expect(read.filter((table) => table === 'IpPolicyRule')).toHaveLength(policyCount);
    expect(turns).toBeGreaterThan(policyCount);
  });

  test('reads of a restriction only what decides and its name, in one reading for all who ask at the same time', async () => {
    await restrict([await policyOf('allow 10.0.0.0/8')]);
    await evaluate('10.0.0.1');
    const scope = await ownScope();
    const statements = await statementsOf(service, () =>
      Promise.all(Array.from({ length: 60 }, () => prepareEvaluation(scope, 'endpoints'))),
    );
    // The first caller reads alone; all others arrived after its reading had begun and share the next one.
    expect(statements.filter((sql) => sql.includes('FROM "IpRestriction"'))).toHaveLength(2 * readings);
    expect(statements.filter((sql) => /metadata|createdAt/.test(sql))).toEqual([]);
    expect(statements).toHaveLength(4 * readings);
  });

  test('counts the restrictions that answer as part of the answer', async () => {
    const scope = await ownScope();
    const row = { accountId: scope.accountId, type: 'endpoints', enforced: true, createdAt: new Date(0) };
    const ids = Array.from({ length: 1_000 }, (_, index) => `ipx_${String(index).padStart(26, '0')}`);
    await plant(
      scope,
      'IpRestriction',
      ids.map((id) => ({ ...row, id })),
    );
    const ask = (times: number) => {
      const names = Array.from(
        { length: times },
        (_, index) => `a${index}: evaluateIp(address: "10.0.0.1", type: endpoints)`,
      );
      return service.graphql(`{ ${names.map((name) => `${name} { allowed }`).join(' ')} }`);
    };
    expect(dataOf(await ask(10)).a9).toEqual({ allowed: false });
    const { errors } = await ask(20);
    expect(errors?.map(({ extensions }) => extensions.code)).toContain('QUERY_TOO_COMPLEX');
  });

  test('asks to be asked again where a restriction is deleted before it is shown', async () => {
    service = ofOneServer(await ownService());
    const scope = await ownScope();
    const row = { accountId: scope.accountId, type: 'endpoints', enforced: true, createdAt: new Date(0) };
    const ids = Array.from({ length: 501 }, (_, index) => `ipx_${String(index).padStart(26, '0')}`);
    await plant(
      scope,
      'IpRestriction',
      ids.map((id) => ({ ...row, id })),
    );
    await evaluate('10.0.0.1');
    const push = service.statements.push.bind(service.statements);
    service.statements.push = (...statements) => {
      // The columns that decide have already been read.
      if (statements.some((sql) => /"metadata".* FROM "IpRestriction"/.test(sql))) {
        executeNow(service.database, `DELETE FROM "IpRestriction" WHERE "id" = '${ids[0]}'`);
      }
      return push(...statements);
    };
    const answer = await ask('10.0.0.1');
    expect(answer.errors?.map(({ message, extensions }) => [extensions.code, message])).toEqual([
      ['UNAVAILABLE', 'A restriction was deleted during the evaluation. Retry in a few seconds.'],
    ]);
    expect((await evaluate('10.0.0.1')).verdicts).toHaveLength(500);
  });

  test('takes turns of the event loop for thousands of policies, and none of its own for fewer', async () => {
    const scope = await ownScope();
    const { accountId } = scope;
    const createdAt = new Date(0);
    const addRestriction = async (place: number) => {
      const id = `ipx_${String(place).padStart(26, '0')}`;
      const policyRefs = Array.from({ length: 200 }, (_, position) => {
        const ipPolicyId = `ipp_${String(place * 200 + position).padStart(26, '0')}`;
        return { accountId, ipRestrictionId: id, position, ipPolicyId };
      });
      const policies = policyRefs.map(({ ipPolicyId }) => ({ id: ipPolicyId, accountId, createdAt }));
      await plant(scope, 'IpPolicy', policies);
      await plant(scope, 'IpRestriction', [{ id, accountId, type: 'endpoints', createdAt }]);
      await plant(scope, 'IpRestrictionPolicy', policyRefs);
    };
    const turnsOfNext = async () => {
      await prepareEvaluation(scope, 'endpoints');
      // On this clock, each look takes a tenth of a millisecond: a slice has as many steps on a fast machine as on a slow one.
      let ms = performance.now();
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
        ms += 0.1;
        return ms;
      });
      const { turns } = await turnsOf(() => prepareEvaluation(scope, 'endpoints'));
      clock.mockRestore();
      return turns;
    };
    for (let index = 5_000; index < 5_010; index += 1) await addRestriction(index);
    const few = await turnsOfNext();
    await addRestriction(5_010);
    const many = await turnsOfNext();
    expect(few).toBe(0);
    // About 30 steps in a slice. Of each policy, what is known is looked up at both readings, which are compared, and then the
    // answers are prepared.
    expect(many).toBeGreaterThan((5 * 2_200) / 31.5);
  });

  test('stops when nobody waits for the answer any more', async () => {
    await restrict([await policyOf('allow 10.0.0.0/8'), await policyOf('allow 11.0.0.0/8')]);
    const scope = await ownScope();
    const gone = new AbortController();
    const preparing = prepareEvaluation(scope, 'endpoints', gone.signal);
    gone.abort(new Error('gone'));
    await expect(preparing).rejects.toThrow('gone');
  });
});
