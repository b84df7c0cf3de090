// Records the examples of the API description: real answers of a real service to the samples of the areas.

import { schema } from '../../src/graphql/schema.ts';
import type { Examples, RouteExample } from '../../src/surfaces/rest/openapi/types.ts';
import { prepareRoutes } from '../../src/surfaces/rest/prepared-route.ts';
import type { Route } from '../../src/surfaces/rest/route.ts';
import { routes } from '../../src/surfaces/rest/routes.ts';
import { allCreations, createWorld, fillPath, nameOf, sampleBody } from '../http/world.ts';
import { areaSamples } from './area-samples.ts';
import type { IdOf } from './samples.ts';
import { type Client, startService } from './service.ts';

/** The base of URLs in the examples. */
const baseUrl = 'https://sallyport.example.com';

const proofs = new Map(areaSamples.flatMap((area) => Object.entries(area.proofs ?? {})));
const madeByOthers = new Set(areaSamples.flatMap((area) => Object.keys(area.madeByOthers ?? {})));

/** Calls every route of a fresh service once, and makes some calls that fail. */
export async function recordExamples(): Promise<Examples> {
  const service = await startService({ baseUrl });
  const operations: Record<string, RouteExample> = {};
  const note = (route: Route, id: IdOf, request: object | undefined, response: unknown) => {
    const filled = fillPath(route.path, id).split('/');
    operations[operationName(route)] = {
      path: Object.fromEntries(
        route.path
          .split('/')
          .flatMap((part, index) => (part.startsWith('{') ? [[part.slice(1, -1), filled[index] ?? '']] : [])),
      ),
      ...(request === undefined ? {} : { request }),
      ...(response === undefined ? {} : { response }),
    };
  };
  /** Calls the named routes, as far as they exist. */
  const call = async (id: IdOf, ...names: string[]) => {
    for (const name of names) {
      const route = routes.find((candidate) => nameOf(candidate) === name);
      if (route === undefined) continue;
      await send(route, id, sampleBody(route, id));
    }
  };
  const send = async (route: Route, id: IdOf, request: object | undefined) => {
    // By now there are many of the objects that come with others.
    const page = madeByOthers.has(route.path) ? '?limit=2' : '';
    const { status, body } = await service.rest(route.method, `${fillPath(route.path, id)}${page}`, request);
    if (status >= 400) throw new Error(`${nameOf(route)} was answered with ${status}: ${body?.msg}`);
    note(route, id, request, body);
  };
  try {
    const id = await createWorld(service, async (route, made, { body }) => {
      note(route, made, sampleBody(route, made), body);
      const { method, path } = route;
      if (method === 'PUT') await call(made, `GET ${path}`);
      else await call(made, `GET ${path}/{id}`, `GET ${path}`, `PATCH ${path}/{id}`);
    });
    await call(id, 'GET /webhooks/{id}/deliveries');
    for (const route of routes.filter(({ withoutKey }) => withoutKey !== undefined)) {
      const made = await proofs.get(nameOf(route))?.(service);
      if (made === undefined) await call(id, nameOf(route));
      else await send(route, () => made.id, made.body);
    }
    for (const path of madeByOthers) {
      const ofOne = routes.filter((route) => route.path.startsWith(`${path}/`)).map(nameOf);
      await call(id, ...ofOne, `GET ${path}`);
    }
    const errors = await recordErrors(service, id);
    for (const { method, path } of allCreations.toReversed()) {
      await call(id, method === 'PUT' ? `DELETE ${path}` : `DELETE ${path}/{id}`);
    }
    // The revocations are what remains of the deleted objects, and a policy is what a document has made.
    await call(id, 'GET /ssh_revocations', 'GET /configuration', 'PUT /configuration/plan');
    return { operations, errors };
  } finally {
    await service.close();
  }
}

/** Makes calls that fail, and returns each answer as the example of its status. */
async function recordErrors(client: Client, id: IdOf): Promise<Record<string, unknown>> {
  const errors: Record<string, unknown> = {};
  const fail = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
    const answer = await client.rest(method, path, body, headers);
    if (answer.status < 400) throw new Error(`${method} ${path} did not fail.`);
    errors[answer.status] = answer.body;
  };
  const policy = id('/ip_policies');
  await fail('POST', '/ip_policy_rules', { ip_policy_id: policy, cidr: '10.0.0.1', action: 'allow' });
  await fail('GET', '/ip_policies', undefined, { Authorization: 'Bearer unknown' });
  await fail('GET', `/ip_restrictions/${policy}`);
  await fail('DELETE', fillPath('/ssh_certificate_authorities/{id}', id));
  await fail('PATCH', `/ip_policies/${policy}`, { description: 'late' }, { 'If-Match': '"7"' });
  await fail('POST', '/ip_policies', 'description=Offices', { 'Content-Type': 'application/x-www-form-urlencoded' });
  await fail('POST', '/ip_policies', { metadata: 'x'.repeat(1_048_576) });
  // The same key with another body.
  const keyed = { 'Idempotency-Key': '8e03978e-40d5-43e8-bc93-6894a57f9324' };
  await client.rest('POST', '/ip_policies', {}, keyed);
  await fail('POST', '/ip_policies', { description: 'Offices' }, keyed);
  return errors;
}

/** Lists the operations for which a recording has no example. */
export function operationsWithoutExample({ operations }: Examples): string[] {
  return prepareRoutes(routes, schema)
    .map(({ route }) => operationName(route))
    .filter((name) => !(name in operations));
}

/** Returns the name of the operation in a route's document. */
function operationName({ document }: Route): string {
  const [definition] = document.definitions.filter(({ kind }) => kind === 'OperationDefinition');
  return definition !== undefined && 'name' in definition ? (definition.name?.value ?? '') : '';
}

/**
 * Keeps what is the same in two recordings, and takes the rest, which is random, from an earlier recording: keys and signatures are
 * new each time, but the file should change only when the surface does.
 */
export function settleExamples(first: Examples, second: Examples, earlier: Examples): Examples {
  // The result has the shape of the first recording.
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
