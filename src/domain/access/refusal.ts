// Why a request was refused. The audit trail stores it instead of an object's state.

/** Why a request was refused. */
export interface Refusal {
  /** The error code of the response. */
  readonly code: string;
  /** The route, schema field or login that was requested; null if the request was refused before that was known. */
  readonly asked: string | null;
  /** Why the key or the login is no longer accepted; null if the code says it. */
  readonly reason: string | null;
  /** The number of refusals of the same key, or at the same route, since the previous event, that have no event. */
  readonly leftOut: number;
}
