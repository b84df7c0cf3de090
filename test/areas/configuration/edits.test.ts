// Documents that are edited at random: each is applied as it was planned, and then nothing is left to do.

import { expect, test } from 'vitest';
import { idpMetadata } from '../../gate/support.ts';
import { runs } from '../../support/runs.ts';
import { startService } from '../../support/service.ts';
import { createRandom, type Random } from '../../torture/random.ts';
import { apply, exported, plan } from './documents.ts';

const service = await startService();
const edits = runs(12);

/** Chooses some of the names, each with what is made for it. */
function some<T>(random: Random, names: readonly string[], make: (name: string) => T): Record<string, T> {
  return Object.fromEntries(names.filter(() => random.next() < 0.6).map((name) => [name, make(name)] as const));
}

/** Describes an account; what is in it refers only to what is there. */
function documentOf(random: Random) {
  const text = () => random.of(['', 'one', 'two', 'Größe "3"']);
  const ipPolicies = some(random, ['office', 'guests', 'vpn'], () => ({
    description: text(),
    rules: ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.7/32', '2001:db8::/32']
      .filter(() => random.next() < 0.5)
      .map((cidr) => ({ cidr, action: random.of(['allow', 'deny']), description: text() })),
  }));
  const tunnelGroupBackends = some(random, ['a', 'b'], () => ({
    targets: [random.of(['10.0.0.1:80', '10.0.0.2:80'])],
    tls: random.of(['passthrough', 'none']),
  }));
  const roles = some(random, ['network', 'audit'], (name) => ({
    // Its name cannot be changed: another one replaces it.
    name: random.of([name, `${name}-team`]),
    scopes: [random.of(['ip-policies:write', 'read'])],
  }));
  const given = [...Object.values(roles).map(({ name }) => name), 'viewer'];
  const signInProviders = some(random, ['sso', 'partners'], (name) => {
    const roleMappings = [{ group: 'staff' }, { email: 'ada@example.com' }, { everybody: true }]
      .filter(() => random.next() < 0.5)
      .map((who) => ({ ...who, role: random.of(given) }));
    // Its issuer cannot be changed, and nor can its protocol, by which it would be another one.
    const protocol =
      name === 'sso'
        ? { issuer: random.of(['https://a.example.com', 'https://b.example.com']), clientId: 'sallyport' }
        : { saml: { idpMetadata, groupsAttribute: text() } };
    // Enabled ones would be asked.
    return { name: name.toUpperCase(), enabled: false, description: text(), roleMappings, ...protocol };
  });
  const policies = Object.keys(ipPolicies);
  const backends = Object.keys(tunnelGroupBackends);
  const modules = () => ({
    ...(policies.length > 0 && random.next() < 0.5 ? { ipRestriction: { ipPolicyIds: [random.of(policies)] } } : {}),
    ...(backends.length > 0 && random.next() < 0.5 ? { backend: { backendId: random.of(backends) } } : {}),
  });
  return {
    signInProviders,
    roles,
    ipPolicies,
    tunnelGroupBackends,
    ipRestrictions: some(random, policies.length > 0 ? ['web'] : [], () => ({
      // Its type cannot be changed: another one replaces it.
      type: random.of(['endpoints', 'dashboard']),
      ipPolicyIds: [random.of(policies)],
    })),
    tlsEdges: some(random, ['mail', 'chat'], (name) => ({ hostports: [`${name}.example.com:443`], ...modules() })),
    httpsEdges: some(random, ['wiki', 'shop'], () => ({
      description: text(),
      routes: some(random, ['all', 'admin', 'api'], (name) => ({
        matchType: random.of(['path_prefix', 'exact_path']),
        match: random.of(['/', `/${name}`]) === '/' && name === 'all' ? '/' : `/${name}`,
        ...modules(),
      })),
    })),
    sshCertificateAuthorities: some(random, ['hosts'], () => ({
      description: text(),
      enrollmentTokens: some(random, ['db'], () => ({ principals: [random.of(['db1', 'db2'])], maxUses: 3 })),
    })),
  };
}

test('each is applied as it was planned, and then has nothing to change', async () => {
  const client = await service.asNewAccount();
  const random = createRandom(34);
  for (let edit = 0; edit < edits; edit += 1) {
    const document = documentOf(random);
    const planned = await plan(client, document, { prune: true });
    const applied = await apply(client, document, { prune: true, digest: planned.digest });
    expect(applied.plan.changes).toEqual(planned.changes);
    expect([edit, (await plan(client, document, { prune: true })).changes]).toEqual([edit, []]);
  }
  const { document } = await exported(client);
  expect((await plan(client, document, { prune: true })).changes).toEqual([]);
});
