// What is known about a request in the end.

import type { ErrorCode } from './error-catalogue.ts';

/** The part of the server that answers a request; `unknown` if none does. */
export type Surface = 'rest' | 'graphql' | 'dashboard' | 'published' | 'login' | 'page' | 'probe' | 'unknown';

/** Facts collected about a request while it is answered, for the log and the metrics. Never holds the data that was sent. */
export interface Trace {
  surface: Surface;
  /** The route, or the field of a GraphQL request: such as `GET /ip_policies/{id}` or `createIpPolicy`; null until it is known. */
  route: string | null;
  /** The name that the client gave to its GraphQL operation. */
  operationName: string | null;
  accountId: string | null;
  /** Code of the first error in the answer. */
  errorCode: ErrorCode | null;
  /** The IP restrictions that object to the address of the client; null if none does. */
  ipRestrictions: TracedObjections | null;
  /** Why the server cut off an answer that had begun: a stream of events, or the connection of a slow reader. */
  ended?: string;
  /** Set for streams, whose duration says nothing about how fast they are served. */
  isStream?: true;
}

/** The ids of the IP restrictions that object to a request. */
export interface TracedObjections {
  /** Null if unknown. */
  readonly address: string | null;
  readonly refusedBy: readonly string[];
  readonly wouldRefuse: readonly string[];
}
