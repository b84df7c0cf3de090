// The shapes that the parts of the description share.

import type { JsonSchema } from './json-schema.ts';

/** Real answers, recorded from a service that runs. */
export interface Examples {
  /** By the name of the GraphQL operation of the route. */
  readonly operations: Readonly<Record<string, RouteExample>>;
  /** Bodies of errors, by their status. */
  readonly errors: Readonly<Record<string, unknown>>;
}

/** One call of a route. */
export interface RouteExample {
  readonly path: Readonly<Record<string, string>>;
  readonly request?: unknown;
  readonly response?: unknown;
}

/** A description, as far as programs of our own read it. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, RouteDescription>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  readonly [field: string]: unknown;
}

/** The description of one method of a path: in the words of OpenAPI, an operation. */
export interface RouteDescription {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, JsonSchema>>;
  readonly [field: string]: unknown;
}
