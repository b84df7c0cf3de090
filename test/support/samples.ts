// What each area brings to the tests that go through all of them, in `test/areas/<area>/samples.ts`.

import type { Client, RestAnswer } from './service.ts';

/** Gives the id to put for the object of a collection, by the path of the collection as the documentation writes it. */
export type IdOf = (collection: string) => string;

/** What an area brings. */
export interface AreaSamples {
  /** Every route of the documentation, such as `GET /ip_policies/{id}`. */
  readonly routes: readonly string[];
  /**
   * A body for each POST and PUT, by its route, and for each PATCH to which another description is not enough. They are also
   * the examples of the API description.
   */
  readonly bodies: Readonly<Record<string, (id: IdOf) => object>>;
  /**
   * For each field whose value no two objects share, by its name in the bodies: makes a value out of a number that is different
   * each time. The tests that create the same object again put it in the place of the sample's.
   */
  readonly unique?: Readonly<Record<string, (count: number) => unknown>>;
  /**
   * For each route that takes proofs in the place of API keys, where the objects of the samples are not enough: makes the object that it
   * is about, and a body with a proof.
   */
  readonly proofs?: Readonly<
    Record<string, (client: Sender) => Promise<{ readonly id: string; readonly body: object }>>
  >;
  readonly collections: readonly CollectionSample[];
  /** For each collection to which nothing can be added: finds one of its objects, which come with those of others. */
  readonly madeByOthers?: Readonly<Record<string, (client: Sender) => Promise<string>>>;
  /** For each list whose entries have no id of their own: makes two entries, and gives an id that one of them shows. */
  readonly entries?: Readonly<Record<string, (client: Sender, id: IdOf) => Promise<string>>>;
}

/** Whatever can send a REST request. */
export interface Sender {
  rest(method: string, path: string, body?: object): Promise<Pick<RestAnswer, 'status' | 'body'>>;
}

/** What the contracts of collections must know of one. */
export interface CollectionSample {
  /** Its path as the documentation writes it. */
  readonly path: `/${string}`;
  /** Makes what it is a part of, and gives its path there; for a collection whose path has a parameter. */
  readonly placeOf?: (client: Client) => Promise<string>;
  /** The parameters of the list beside those that every list has. */
  readonly filters?: readonly string[];
  /** Name of the list in the envelope. */
  readonly listField: string;
  /** Name of the field of the query that is its connection. */
  readonly connection: string;
  /** Gives the argument of the connection that says what the collection is a part of, by its path there. */
  readonly connectionArgument?: (place: string) => string;
  /** Makes what a creation must hold besides the notes, different each time where that matters. */
  readonly required: (client: Client) => Promise<object>;
  /** Names of the fields that a creation, or a change, takes. */
  readonly createFields: string;
  readonly updateFields: string;
  /** An id of the right form that names nothing. */
  readonly unknownId: string;
  /** How many objects an account has before a test makes any. */
  readonly objectsAtStart: number;
  /** Fields that only the creation shows: null from then on. */
  readonly shownOnce?: readonly string[];
}

/** The routes of a collection. */
export function collectionRoutes(path: string): string[] {
  return [`POST ${path}`, `GET ${path}`, `GET ${path}/{id}`, `PATCH ${path}/{id}`, `DELETE ${path}/{id}`];
}

/** The routes of a module, which is a part of its object. */
export function moduleRoutes(path: string): string[] {
  return [`PUT ${path}`, `GET ${path}`, `DELETE ${path}`];
}
