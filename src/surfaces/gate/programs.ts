// The programs that pass the gate with an API key. A key decides in place of a session: whoever sends one is no browser.

import { canBeToken } from '../../domain/access/api-token.ts';
import { createTokenBuckets } from '../../domain/concurrency/token-buckets.ts';
import {
  decideKey,
  type GateDecision,
  type GateRequest,
  type LoginNeeded,
  programSession,
} from '../../domain/gate/decide.ts';
import type { EdgeTable } from '../../domain/gate/edge-table.ts';
import type { Session } from '../../domain/gate/login.ts';
import { hashOf } from '../../domain/values/hash.ts';
import { networkOf } from '../../pipeline/client-address.ts';
import type { Credentials } from '../../storage/keys/credentials.ts';
import type { Refusals } from '../../storage/trail/refusals.ts';

/** What becomes of the request of a program. */
export interface ProgramVerdict {
  readonly decision: GateDecision;
  /** What the application is told of the program; null if its key is not known in the account. */
  readonly session: Session | null;
  readonly reference: string | null;
  /** Seconds until the client should try again, whose network has sent many wrong keys; null otherwise. */
  readonly retrySeconds: number | null;
}

/** Judges the API key of a program at a route that demands a login. Rejects if the storage is unavailable. */
export type JudgeProgram = (
  token: string,
  edge: EdgeTable,
  needed: LoginNeeded,
  asked: GateRequest,
) => Promise<ProgramVerdict>;

export interface ProgramOptions {
  readonly credentials: Pick<Credentials, 'identify'>;
  readonly refusals: Refusals;
  readonly newRequestId: () => string;
  /** A monotonic clock, in milliseconds. */
  readonly monotonicMs: () => number;
}

/** Wrong keys that a network may send: twenty at once, then one every three seconds. A right one works as always. */
const failuresOfNetwork = { size: 20, everyMs: 3_000, bucketsMax: 100_000, beyondMax: 'everything' } as const;
/** Longest key. */
const tokenCharactersMax = 512;

/** Creates the judge of programs. */
export function createPrograms({ credentials, refusals, newRequestId, monotonicMs }: ProgramOptions): JudgeProgram {
  const failures = createTokenBuckets(failuresOfNetwork);
  return async (token, edge, needed, asked) => {
    const tokenHash = hashOf(token);
    const isForm = token.length <= tokenCharactersMax && canBeToken(token);
    const found = isForm ? await credentials.identify(tokenHash) : null;
    // A key of another account is none here.
    const identity = found?.accountId === edge.accountId ? found : null;
    const key = identity === null ? null : { id: identity.actor, pass: identity.pass };
    const decision = decideKey(needed, edge, key);
    const session = key === null ? null : programSession(key);
    if (decision.allowed) return { decision, session, reference: null, retrySeconds: null };
    const reference = newRequestId();
    const { id: routeId } = needed.route;
    const request = {
      requestId: reference,
      surface: 'gate',
      clientAddress: asked.address.toString(),
      asked: `gate ${routeId}`,
    } as const;
    if (identity !== null) {
      refusals.note({ ...request, code: 'FORBIDDEN' }, identity);
      return { decision, session, reference, retrySeconds: null };
    }
    if (isForm && found === null) refusals.noteToken({ ...request, code: 'UNAUTHENTICATED' }, tokenHash);
    const network = networkOf(asked.address);
    const isTolerated = failures.has(network, monotonicMs());
    if (isTolerated) failures.take(network, monotonicMs());
    return { decision, session, reference, retrySeconds: isTolerated ? null : failuresOfNetwork.everyMs / 1000 };
  };
}
