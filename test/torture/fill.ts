// Fills the two accounts before the attacks begin.

import type { Battlefield } from './battlefield.ts';
import type { TortureClient } from './client.ts';
import type { AttackedWorld } from './requests.ts';

const parallel = 16;

/** Fills both accounts. Returns what the attacks need to know, and the path of an object of the other account. */
export async function fillAccount(field: Battlefield): Promise<{ world: AttackedWorld; victim: string }> {
  const { sizes } = field;
  const client = field.attacker(parallel);
  const policies = await many(sizes.policies, () => create(client, '/ip_policies', { metadata: 'm'.repeat(4_096) }));
  const cidrs = Array.from(
    { length: sizes.rulesOfEach },
    (_, rule) => `10.${Math.floor(rule / 256)}.${rule % 256}.0/24`,
  );
  const rules = policies.flatMap((policy) => cidrs.map((cidr) => ({ ip_policy_id: policy, cidr, action: 'allow' })));
  await many(rules.length, (index) => create(client, '/ip_policy_rules', rules[index] ?? {}));
  await many(sizes.restrictions, () =>
    create(client, '/ip_restrictions', { type: 'endpoints', ip_policy_ids: policies }),
  );

  const inbound = Array.from({ length: 100 }, () => ({ actions: Array.from({ length: 20 }, () => ({ type: 'x' })) }));
  const edges = await many(sizes.edges, async () => {
    const edge = await create(client, '/edges/tls', { hostports: ['a.example.com:443'] });
    await call(client, 'PUT', `/edges/tls/${edge}/policy`, { inbound });
    return edge;
  });
  const httpsEdge = await create(client, '/edges/https', {});
  const routes = `/edges/https/${httpsEdge}/routes`;
  const saml = `${routes}/${await create(client, routes, { match_type: 'path_prefix', match: '/' })}/saml`;
  const service = '<SingleSignOnService Binding="b" Location="https://idp.example.com/sso"/>';
  const idp = `<IDPSSODescriptor>${service.repeat(sizes.singleSignOnServices)}</IDPSSODescriptor>`;
  await call(client, 'PUT', saml, {
    idp_metadata: `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp">${idp}</EntityDescriptor>`,
  });
  const rsaAuthority = await create(client, '/ssh_certificate_authorities', {
    private_key_type: 'rsa',
    key_size: 4096,
  });
  client.close();

  const other = field.other();
  const otherAuthority = await create(other, '/ssh_certificate_authorities', { private_key_type: 'ed25519' });
  const policy = await create(other, '/ip_policies', {
    description: 'of the other account',
    metadata: '{"kept":true}',
  });
  other.close();
  const [tlsEdge = ''] = edges;
  return { world: { tlsEdge, saml, rsaAuthority, otherAuthority }, victim: `/ip_policies/${policy}` };
}

async function many<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const take = async () => {
    for (let index = next; next < count; index = next) {
      next += 1;
      results.push(await work(index));
    }
  };
  await Promise.all(Array.from({ length: parallel }, take));
  return results;
}

async function create(client: TortureClient, path: string, body: object): Promise<string> {
  return (await call(client, 'POST', path, body)).id;
}

async function call(client: TortureClient, method: string, path: string, body: object) {
  const answer = await client.rest(method, path, body);
  if (answer.status > 201) throw new Error(`${method} ${path} answers ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}
