// The examples of the API description: real answers of a real service. A new area adds its calls to `recordExamples`.

import { schema } from '../../src/graphql/schema.ts';
import type { Examples, RouteExample } from '../../src/rest/openapi/types.ts';
import { prepareRoutes } from '../../src/rest/prepared-route.ts';
import { routes } from '../../src/rest/routes.ts';
import { hostKey } from './host-key.ts';
import { type Client, startService } from './service.ts';

/** What URLs in the examples start with. */
const baseUrl = 'https://sallyport.example.com';

/** Calls every route of a fresh service once, and some in a wrong way. */
export async function recordExamples(): Promise<Examples> {
  const service = await startService({ baseUrl });
  try {
    const recorder = createRecorder(service);
    const { resource, module, fail } = recorder;
    await resource('ApiKey', 'ApiKeys', { description: 'dashboard' }, { description: 'dashboard of the office' });
    const policy = await resource(
      'IpPolicy',
      'IpPolicies',
      { description: 'Offices', metadata: '{"owner":"network"}' },
      { description: 'Offices and data centres' },
    );
    const rule = { ip_policy_id: policy.id, cidr: '192.0.2.0/24', action: 'allow' };
    await resource('IpPolicyRule', 'IpPolicyRules', { ...rule, description: 'Berlin' }, { cidr: '198.51.100.0/24' });
    await resource(
      'IpRestriction',
      'IpRestrictions',
      { type: 'api', ip_policy_ids: [policy.id], description: 'Only from our offices' },
      { enforced: true },
    );
    const authority = await resource(
      'SshCertificateAuthority',
      'SshCertificateAuthorities',
      { description: 'Hosts', private_key_type: 'ed25519' },
      { description: 'Hosts of the data centre' },
    );
    await resource(
      'SshHostCertificate',
      'SshHostCertificates',
      {
        ssh_certificate_authority_id: authority.id,
        public_key: hostKey,
        principals: ['bastion.example.com', '192.0.2.7'],
        valid_until: '2027-11-20T21:00:00Z',
      },
      { description: 'The way in' },
    );

    const backend = await resource(
      'TunnelGroupBackend',
      'TunnelGroupBackends',
      { labels: { app: 'shop' } },
      { labels: { app: 'shop', region: 'eu' } },
    );
    const { id: tlsEdge } = await resource(
      'TlsEdge',
      'TlsEdges',
      { hostports: ['shop.example.com:443'] },
      { description: 'The shop' },
    );
    await module('TlsEdgeBackend', { id: tlsEdge }, { backend_id: backend.id });
    await module(
      'TlsEdgePolicy',
      { id: tlsEdge },
      { inbound: [{ name: 'log', actions: [{ type: 'log', config: { metadata: { edge: 'shop' } } }] }] },
    );
    const { id: httpsEdge } = await resource(
      'HttpsEdge',
      'HttpsEdges',
      { hostports: ['intranet.example.com:443'] },
      { description: 'The intranet' },
    );
    const { id: httpsRoute } = await resource(
      'HttpsEdgeRoute',
      'HttpsEdgeRoutes',
      { match_type: 'path_prefix', match: '/' },
      { description: 'Everything' },
      { edge_id: httpsEdge },
    );
    await module(
      'SamlModule',
      { edge_id: httpsEdge, id: httpsRoute },
      {
        idp_metadata:
          '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example.com"/>',
        authorized_groups: ['staff'],
      },
    );

    await fail('POST', '/ip_policy_rules', { ...rule, cidr: '10.0.0.1' });
    await fail('GET', '/ip_policies', undefined, { Authorization: 'Bearer unknown' });
    await fail('GET', `/ip_restrictions/${policy.id}`);
    await fail('DELETE', `/ssh_certificate_authorities/${authority.id}`);
    await fail('PATCH', `/ip_policies/${policy.id}`, { description: 'late' }, { 'If-Match': '"7"' });
    await fail('POST', '/ip_policies', 'description=Offices', { 'Content-Type': 'application/x-www-form-urlencoded' });
    await fail('POST', '/ip_policies', { metadata: 'x'.repeat(1_048_576) });
    await recorder.removeAll();
    return recorder.examples;
  } finally {
    await service.close();
  }
}

/** Lists the operations that a recording has no example of. */
export function operationsWithoutExample({ operations }: Examples): string[] {
  return readAll()
    .map(({ name }) => name)
    .filter((name) => !(name in operations));
}

/**
 * Takes from two recordings what is the same in both, and the rest, which is random, from an earlier recording: keys and
 * signatures are new each time, but the file changes only when the surface does.
 */
export function settleExamples(first: Examples, second: Examples, earlier: Examples): Examples {
  // What is settled has the shape of the first recording.
  return settle(first, second, earlier) as Examples;
}

function settle(first: unknown, second: unknown, earlier: unknown): unknown {
  if (isObject(first) && isObject(second)) {
    const kept = isObject(earlier) ? earlier : {};
    const entries = Object.entries(first).map(([name, value]) => [name, settle(value, second[name], kept[name])]);
    return Array.isArray(first) ? entries.map(([, value]) => value) : Object.fromEntries(entries);
  }
  return first !== second && typeof earlier === typeof first ? earlier : first;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function readAll() {
  return prepareRoutes(routes, schema).map(({ route }) => {
    const [definition] = route.document.definitions.filter(({ kind }) => kind === 'OperationDefinition');
    const name = definition !== undefined && 'name' in definition ? (definition.name?.value ?? '') : '';
    return { name, ...route };
  });
}

function createRecorder(service: Client) {
  const all = readAll();
  const operations: Record<string, RouteExample> = {};
  const errors: Record<string, unknown> = {};
  const removals: (() => Promise<void>)[] = [];

  const call = async (name: string, path: Record<string, string>, request?: unknown) => {
    const operation = all.find((candidate) => candidate.name === name);
    if (operation === undefined) throw new Error(`There is no operation ${name}.`);
    const target = operation.path.replace(/\{(\w+)\}/g, (_, field: string) => path[field] ?? '');
    const { status, body } = await service.rest(operation.method, target, request);
    if (status >= 400) throw new Error(`${name} was answered with ${status}: ${body?.msg}`);
    operations[name] = {
      path,
      ...(request === undefined ? {} : { request }),
      ...(body === undefined ? {} : { response: body }),
    };
    return body;
  };

  return {
    examples: { operations, errors },
    call,
    /** Creates, reads, lists and changes an object; it is deleted at the end. `path` addresses what it is a part of. */
    async resource(type: string, types: string, create: object, update: object, path: Record<string, string> = {}) {
      const created = await call(`Create${type}`, path, create);
      const own = { ...path, id: String(created.id) };
      await call(`Get${type}`, own);
      if (all.some(({ name }) => name === `List${types}`)) await call(`List${types}`, path);
      await call(`Update${type}`, own, update);
      removals.unshift(() => call(`Delete${type}`, own));
      return created;
    },
    /** Replaces and reads a module; it is deleted at the end. */
    async module(type: string, path: Record<string, string>, replace: object) {
      await call(`Replace${type}`, path, replace);
      await call(`Get${type}`, path);
      removals.unshift(() => call(`Delete${type}`, path));
    },
    /** Makes a call that fails, and keeps the answer as the example of its status. */
    async fail(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
      const answer = await service.rest(method, path, body, headers);
      if (answer.status < 400) throw new Error(`${method} ${path} did not fail.`);
      errors[answer.status] = answer.body;
    },
    /** Deletes what was created, the latest first. */
    async removeAll() {
      for (const remove of removals) await remove();
    },
  };
}
