// Creates one object of every kind that the REST surface can create, so that tests can go through the whole route table. The bodies
// come from the areas, in `test/areas/<area>/samples.ts`.

import type { Route } from '../../src/surfaces/rest/route.ts';
import { routes } from '../../src/surfaces/rest/routes.ts';
import { areaSamples } from '../support/area-samples.ts';
import type { IdOf, Sender } from '../support/samples.ts';
import type { RestAnswer } from '../support/service.ts';

export type { IdOf };

const samples = new Map(areaSamples.flatMap(({ bodies }) => Object.entries(bodies)));

/** Names a route as the documentation does: `GET /ip_policies/{id}`. */
export function nameOf({ method, path }: Route): string {
  return `${method} ${path}`;
}

/** Returns a body for a route; undefined if it takes none. */
export function sampleBody(route: Route, id: IdOf): object | undefined {
  const sample = samples.get(nameOf(route));
  if (sample !== undefined) return sample(id);
  if (route.method === 'PATCH') return { description: 'changed' };
  if (route.method === 'GET' || route.method === 'DELETE') return undefined;
  throw new Error(`There is no sample body for ${nameOf(route)}: add one to the samples.ts of its area.`);
}

const uniqueOf = new Map(areaSamples.flatMap(({ routes: names, unique }) => names.map((name) => [name, unique])));
let freshBodies = 0;

/** Returns a body for a route as `sampleBody` does, with a new value in each field that must be unique. */
export function freshBody(route: Route, id: IdOf): object | undefined {
  const body = sampleBody(route, id);
  if (body === undefined) return undefined;
  freshBodies += 1;
  const unique = uniqueOf.get(nameOf(route));
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, unique?.[name]?.(freshBodies) ?? value]),
  );
}

/** The paths of what cannot be beside what others make, each with the collection in which it has an object of its own. */
export const apart: ReadonlyMap<string, string> = new Map(
  areaSamples.flatMap((area) => area.apart ?? []).map((path) => [path, path.replace(/\/\{id\}\/\w+$/, '')]),
);

/**
 * Fills the parameters of a path: each is an object of the collection before it in the path. The last one of a path that is apart is its
 * own object, which has the path in place of a collection.
 */
export function fillPath(path: string, id: IdOf): string {
  return path.replace(/\/\{\w+\}/g, (_parameter, start: number) => {
    const collection = path.slice(0, start);
    return `/${id(apart.get(path) === collection ? path : collection)}`;
  });
}

/** Whether a route is about one object of a collection to which nothing can be added. */
const isOnOthers = ({ path }: Route) =>
  areaSamples.some(({ madeByOthers = {} }) => Object.keys(madeByOthers).some((list) => path.startsWith(`${list}/`)));

/** Whether a route changes nothing, whatever its method: a plan. */
const asks = ({ document }: Route) =>
  document.definitions.some((each) => each.kind === 'OperationDefinition' && each.operation === 'query');

/**
 * The routes that create objects, each after those that create what it refers to. Routes that take proofs have their own tests,
 * because their bodies have to be signed.
 */
export const allCreations: readonly Route[] = inOrder(
  routes.filter(
    (route) =>
      (route.method === 'POST' || route.method === 'PUT') &&
      route.withoutKey === undefined &&
      !isOnOthers(route) &&
      !asks(route),
  ),
);

/** The routes that put something on what others have made. */
export const putsOnOthers: readonly Route[] = routes.filter((route) => route.method === 'PUT' && isOnOthers(route));

/** Finds an object of each collection to which nothing can be added. With twins, the same happens to them in the same order. */
export async function findOthers(
  client: Sender,
  ...twins: readonly Sender[]
): Promise<(readonly [collection: string, id: string])[]> {
  const finders = areaSamples.flatMap(({ madeByOthers = {} }) => Object.entries(madeByOthers));
  const found = [];
  for (const [collection, find] of finders) {
    found.push([collection, await find(client)] as const);
    for (const twin of twins) await find(twin);
  }
  return found;
}

/** Those of them that need no object of their own (`apart`), for tests that go through them with one object of each kind. */
export const creations = allCreations.filter(({ path }) => !apart.has(path));

/** Orders routes: each comes after those that create what its path and its body refer to, otherwise in the order of the table. */
function inOrder(waiting: readonly Route[], made: readonly Route[] = []): readonly Route[] {
  const [next] = waiting.filter((route) =>
    [...collectionsOf(route)].every((path) => made.some((earlier) => nameOf(earlier) === `POST ${path}`)),
  );
  if (next === undefined && waiting.length > 0) {
    throw new Error(`Nothing creates what these need: ${waiting.map(nameOf).join(', ')}.`);
  }
  if (next === undefined) return made;
  return inOrder(
    waiting.filter((route) => route !== next),
    [...made, next],
  );
}

/** Returns the collections whose objects a route refers to. */
function collectionsOf(route: Route): Set<string> {
  const named = new Set<string>();
  const note = (collection: string) => {
    named.add(apart.get(collection) ?? collection);
    return 'id';
  };
  fillPath(route.path, note);
  sampleBody(route, note);
  return named;
}

/**
 * Creates one object of every kind as a client.
 *
 * @param created is called for each object once it exists
 * @param bodyOf returns the bodies; `freshBody` if the account may have a world already
 */
export async function createWorld(
  client: Sender,
  created: (route: Route, id: IdOf, answer: Pick<RestAnswer, 'status' | 'body'>) => Promise<void> | void = () => {},
  bodyOf: typeof sampleBody = sampleBody,
): Promise<IdOf> {
  const ids = new Map<string, string>();
  const id: IdOf = (collection) => {
    const found = ids.get(collection);
    if (found === undefined) throw new Error(`Nothing of ${collection} has been created: see test/http/world.ts.`);
    return found;
  };
  for (const route of allCreations) {
    const collection = apart.get(route.path);
    if (collection !== undefined) {
      const creation = creations.find(({ method, path }) => method === 'POST' && path === collection);
      const own = creation && (await client.rest('POST', fillPath(collection, id), freshBody(creation, id)));
      ids.set(route.path, own?.body.id);
    }
    const answer = await client.rest(route.method, fillPath(route.path, id), bodyOf(route, id));
    if (answer.status !== 201 && answer.status !== 200) {
      throw new Error(`${nameOf(route)} answers ${answer.status} to its sample: ${JSON.stringify(answer.body)}`);
    }
    if (route.method === 'POST') ids.set(route.path, answer.body.id);
    await created(route, id, answer);
  }
  for (const [collection, found] of await findOthers(client)) ids.set(collection, found);
  for (const { entries = {} } of areaSamples) {
    for (const [list, make] of Object.entries(entries)) ids.set(list, await make(client, id));
  }
  return id;
}

/** Returns, for each id, another id of the same kind that never existed. */
export function neverId(id: IdOf): IdOf {
  return (collection) => id(collection).replace(/_.*/, `_${'0'.repeat(26)}`);
}
