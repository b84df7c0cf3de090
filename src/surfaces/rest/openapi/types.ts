// Types shared by the parts of the description.

import type { JsonSchema } from './json-schema.ts';

/** Real requests and answers, recorded from a running server. */
export interface Examples {
  /** By the name of the route's GraphQL operation. */
  readonly operations: Readonly<Record<string, RouteExample>>;
  /** Bodies of errors, by status. */
  readonly errors: Readonly<Record<string, unknown>>;
}

export interface RouteExample {
  readonly path: Readonly<Record<string, string>>;
  readonly request?: unknown;
  readonly response?: unknown;
}

/** An OpenAPI description, typed as far as our own code reads it. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, RouteDescription>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  readonly [field: string]: unknown;
}

/** The description of one method of a path, which OpenAPI calls an operation. */
export interface RouteDescription {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, JsonSchema>>;
  readonly [field: string]: unknown;
}
