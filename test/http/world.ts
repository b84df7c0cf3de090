// One object of every kind that the REST surface creates, so that tests can go through the whole route table. A new area
// adds a line for each of its POST and PUT routes; the tests name a route that lacks one.

import type { Route } from '../../src/rest/route.ts';
import { routes } from '../../src/rest/routes.ts';
import type { RestAnswer } from '../support/service.ts';

/** Gives the id to put for the object of a collection, by the path of the collection as the documentation writes it. */
export type IdOf = (collection: string) => string;

/** A body for every route that takes one, in the order in which the objects can be created. */
const samples: Record<string, (id: IdOf) => object> = {
  'POST /api_keys': () => ({ description: 'spare key' }),
  'POST /ip_policies': () => ({ description: 'office', metadata: '{"site":1}' }),
  'POST /ip_policy_rules': (id) => ({ ip_policy_id: id('/ip_policies'), cidr: '10.0.0.0/8', action: 'allow' }),
  'POST /ip_restrictions': (id) => ({ type: 'api', ip_policy_ids: [id('/ip_policies')], enforced: true }),
  'POST /ssh_certificate_authorities': () => ({ private_key_type: 'ed25519', description: 'hosts' }),
  'POST /ssh_host_certificates': (id) => ({
    ssh_certificate_authority_id: id('/ssh_certificate_authorities'),
    public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEA8FP+pNKj5rD7kA8yjV4re5Sskl/+zOBFXRLVIgE/y',
    principals: ['host.example.com'],
    valid_until: '2027-11-20T21:00:00Z',
  }),
  'POST /backends/tunnel_group': () => ({ labels: { app: 'web' }, description: 'web' }),
  'POST /edges/tls': () => ({ hostports: ['tls.example.com:443'] }),
  'PUT /edges/tls/{id}/backend': (id) => ({ backend_id: id('/backends/tunnel_group') }),
  'PUT /edges/tls/{id}/policy': () => ({
    inbound: [{ name: 'old', expressions: ["conn.tls.version == '1.0'"], actions: [{ type: 'deny' }] }],
  }),
  'POST /edges/https': () => ({ hostports: ['example.com:443'], description: 'shop' }),
  'POST /edges/https/{edge_id}/routes': () => ({ match_type: 'path_prefix', match: '/' }),
  'PUT /edges/https/{edge_id}/routes/{id}/saml': () => ({
    idp_metadata: '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example.com"/>',
    authorized_groups: ['staff'],
  }),
  'PATCH /ip_restrictions/{id}': (id) => ({ ip_policy_ids: [id('/ip_policies')], description: 'changed' }),
};

/** Names a route as the table does: `GET /ip_policies/{id}`. */
export function nameOf({ method, path }: Route): string {
  return `${method} ${path}`;
}

/** Gives a body for a route; undefined where it takes none. */
export function sampleBody(route: Route, id: IdOf): object | undefined {
  const sample = samples[nameOf(route)];
  if (sample !== undefined) return sample(id);
  if (route.method === 'PATCH') return { description: 'changed' };
  if (route.method === 'GET' || route.method === 'DELETE') return undefined;
  throw new Error(`There is no sample body for ${nameOf(route)}: add one to test/http/world.ts.`);
}

/** Fills the parameters of a path: each is an object of the collection that the path names before it. */
export function fillPath(path: string, id: IdOf): string {
  return path.replace(/\/\{\w+\}/g, (_parameter, start: number) => `/${id(path.slice(0, start))}`);
}

/** The routes that create, in an order in which everything that they refer to is there. */
export const creations: readonly Route[] = [
  ...Object.keys(samples).flatMap((name) =>
    routes.filter((route) => route.method !== 'PATCH' && nameOf(route) === name),
  ),
  ...routes.filter((route) => (route.method === 'POST' || route.method === 'PUT') && !(nameOf(route) in samples)),
];

/** Whatever can send a REST request. */
interface Sender {
  rest(method: string, path: string, body?: object): Promise<Pick<RestAnswer, 'status' | 'body'>>;
}

/** Creates one object of every kind as a client. */
export async function createWorld(client: Sender): Promise<IdOf> {
  const ids = new Map<string, string>();
  const id: IdOf = (collection) => {
    const found = ids.get(collection);
    if (found === undefined) throw new Error(`Nothing of ${collection} has been created: see test/http/world.ts.`);
    return found;
  };
  for (const route of creations) {
    const answer = await client.rest(route.method, fillPath(route.path, id), sampleBody(route, id));
    if (answer.status !== 201 && answer.status !== 200) {
      throw new Error(`${nameOf(route)} answers ${answer.status} to its sample: ${JSON.stringify(answer.body)}`);
    }
    if (route.method === 'POST') ids.set(route.path, answer.body.id);
  }
  return id;
}

/** Gives for each id another one of its kind that never existed. */
export function neverId(id: IdOf): IdOf {
  return (collection) => id(collection).replace(/_.*/, `_${'0'.repeat(26)}`);
}
