// Why a request was refused, as the trail keeps it in the place of the state of an object.

/** Why a request was refused. */
export interface Refusal {
  /** The code of the answer. */
  readonly code: string;
  /** The route, the field of the schema, or the login that was asked for; null where it was refused before that was known. */
  readonly asked: string | null;
  /** Why the key is not accepted any more, or the login; null where the code says it. */
  readonly reason: string | null;
  /** Refusals of the same key, or at the same route, since the event before this one that have no event. */
  readonly leftOut: number;
}
