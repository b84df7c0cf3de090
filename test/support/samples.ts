// The samples that each area provides for the tests that go through all areas, in `test/areas/<area>/samples.ts`.

import type { Client, RestAnswer } from './service.ts';

/** Returns the id of the sample object of a collection, given the collection's path as in the documentation. */
export type IdOf = (collection: string) => string;

/** The samples of an area. */
export interface AreaSamples {
  /** Every documented route, such as `GET /ip_policies/{id}`. */
  readonly routes: readonly string[];
  /**
   * A body for each POST and PUT, by route, and for each PATCH that needs more than another description. They are also the examples
   * of the API description.
   */
  /** Paths of modules that cannot be beside those that others make: each has an object of its own in its collection. */
  readonly apart?: readonly string[];
  readonly bodies: Readonly<Record<string, (id: IdOf) => object>>;
  /**
   * For each field whose value must be unique, by its name in the bodies: creates a value from a number that is different each
   * time. Tests that create the same object again replace the sample's value with it.
   */
  readonly unique?: Readonly<Record<string, (count: number) => unknown>>;
  /**
   * For each route that takes proofs instead of API keys, if the objects of the samples are not enough: creates the object that the
   * route is about, and returns its id and a body with a proof.
   */
  readonly proofs?: Readonly<
    Record<string, (client: Sender) => Promise<{ readonly id: string; readonly body: object }>>
  >;
  readonly collections: readonly CollectionSample[];
  /** For each collection to which nothing can be added: finds one of its objects, which are created together with other objects. */
  readonly madeByOthers?: Readonly<Record<string, (client: Sender) => Promise<string>>>;
  /** For each list whose entries have no id of their own: creates two entries, and returns an id that one of them shows. */
  readonly entries?: Readonly<Record<string, (client: Sender, id: IdOf) => Promise<string>>>;
}

/** Anything that can send a REST request. */
export interface Sender {
  rest(method: string, path: string, body?: object): Promise<Pick<RestAnswer, 'status' | 'body'>>;
}

/** What the contracts need to know about a collection. */
export interface CollectionSample {
  /** Its path as in the documentation. */
  readonly path: `/${string}`;
  /**
   * Creates the object that the collection belongs to, and returns the collection's path there; for a collection whose path has a
   * parameter.
   */
  readonly placeOf?: (client: Client) => Promise<string>;
  /** The parameters of the list in addition to those that every list has. */
  readonly filters?: readonly string[];
  /** Name of the list in the envelope. */
  readonly listField: string;
  /** Name of the query field that is its connection. */
  readonly connection: string;
  /**
   * Returns the argument of the connection that names the object that the collection belongs to, given the collection's path there.
   */
  readonly connectionArgument?: (place: string) => string;
  /** Returns the fields that a creation requires in addition to the notes, different each time if that matters. */
  readonly required: (client: Client) => Promise<object>;
  /** Names of the fields that a creation accepts, and those that a change accepts. */
  readonly createFields: string;
  readonly updateFields: string;
  /** The number of objects that an account has before a test creates any. */
  readonly objectsAtStart: number;
  /** Fields that only the creation shows: null afterwards. */
  readonly shownOnce?: readonly string[];
}

/** Returns the routes of a collection. */
export function collectionRoutes(path: string): string[] {
  return [`POST ${path}`, `GET ${path}`, `GET ${path}/{id}`, `PATCH ${path}/{id}`, `DELETE ${path}/{id}`];
}

/** Returns the routes of a module, which is a part of an object. */
export function moduleRoutes(path: string): string[] {
  return [`PUT ${path}`, `GET ${path}`, `DELETE ${path}`];
}
