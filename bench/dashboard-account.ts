// The account whose dashboard is measured: what a company may have after a year, with an object for every page.

import { hostKey } from '../test/support/host-key.ts';

/** How many of each there are. */
const amounts = { policies: 30, rules: 1_000, certificates: 400, keys: 14 };

/**
 * Fills the account of a running server over its API, whichever build that is.
 *
 * @returns the id of an object for each page that shows one, by the path of the page; what the build does not know is left out
 * @throws Error if a request fails, except for a route that is not there
 */
export async function fillAccount(url: string, token: string): Promise<ReadonlyMap<string, string>> {
  const call = async (method: string, path: string, body: unknown) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Service-Version': '2', 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (answer.status === 404) return undefined;
    if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${await answer.text()}`);
    return Object(await answer.json());
  };
  const make = async (path: string, body: unknown): Promise<string> => (await call('POST', path, body))?.id ?? '';
  const each = (count: number, makeOne: (index: number) => Promise<unknown>) =>
    Array.from({ length: count }, (_, index) => () => makeOne(index)).reduce<Promise<unknown>>(
      (before, next) => before.then(next),
      Promise.resolve(),
    );

  const policy = await make('/ip_policies', { description: 'Stores' });
  await each(amounts.policies - 1, (index) => make('/ip_policies', { description: `Site ${index}` }));
  const query =
    'mutation ($input: CreateIpPolicyRulesInput!) { createIpPolicyRules(input: $input) { ipPolicyRules { id } } }';
  const rules = Array.from({ length: amounts.rules }, (_, index) => ({
    cidr: `2001:db8:1234:${index.toString(16)}::/64`,
    action: 'allow',
  }));
  for (const some of [rules.slice(0, 500), rules.slice(500)])
    await call('POST', '/graphql', { query, variables: { input: { ipPolicyId: policy, rules: some } } });
  const restriction = { type: 'endpoints', enforced: false, ip_policy_ids: [policy] };
  const authority = await make('/ssh_certificate_authorities', { description: 'Fleet' });
  const certificate = (index: number) =>
    make('/ssh_host_certificates', {
      ssh_certificate_authority_id: authority,
      principals: [`host-${index}.example.com`],
      public_key: hostKey,
    });
  await each(amounts.certificates - 1, certificate);
  const soon = new Date(Date.now() + 5 * 86_400_000).toISOString();
  await each(amounts.keys, (index) =>
    make('/api_keys', { description: `Key ${index}`, scopes: ['read'], expires_at: soon }),
  );
  const httpsEdge = await make('/edges/https', { hostports: ['app.example.com:443'] });
  const events = await call('POST', '/graphql', { query: '{ auditEvents(first: 1) { nodes { id } } }' });
  const provider = {
    issuer: 'https://idp.example.com',
    client_id: 'sallyport',
    client_secret: 'of the client',
    name: 'Keycloak',
    // Otherwise the provider would be asked.
    enabled: false,
    role_mappings: [],
  };
  const expectation = {
    name: 'Agents',
    kind: 'ip',
    expected: 'allowed',
    address: '0.0.0.0/0',
    traffic_type: 'agent',
  };
  return new Map([
    ['/ip-policies/:id', policy],
    ['/ip-restrictions/:id', await make('/ip_restrictions', restriction)],
    ['/tls-edges/:id', await make('/edges/tls', { hostports: ['db.example.com:5432'] })],
    ['/backends/:id', await make('/backends/tunnel_group', { labels: { app: 'db' } })],
    ['/api-keys/:id', await make('/api_keys', { description: 'Of a program', scopes: ['read'] })],
    ['/ssh/authorities/:id', authority],
    ['/ssh/certificates/:id', await certificate(amounts.certificates)],
    [
      '/ssh/tokens/:id',
      await make('/ssh_enrollment_tokens', { ssh_certificate_authority_id: authority, principals: ['a.example.com'] }),
    ],
    ['/https-edges/:id', httpsEdge],
    [
      '/https-edges/routes/:id',
      await make(`/edges/https/${httpsEdge}/routes`, { match_type: 'path_prefix', match: '/' }),
    ],
    ['/audit-trail/:id', String(events.data.auditEvents.nodes[0].id)],
    ['/roles/:id', await make('/roles', { name: 'readers', scopes: ['read'] })],
    ['/sign-in-providers/:id', await make('/sign_in_providers', provider)],
    ['/webhooks/:id', await make('/webhooks', { url: 'https://127.0.0.1:9/hook', events: ['ip_policy.*'] })],
    ['/expectations/:id', await make('/expectations', expectation)],
  ]);
}
