// The keys by which a provider signs logout tokens, which anybody can send. They are fetched seldom enough that nobody can have them
// fetched without end, and soon enough that a new key counts at once.

import { setTimeout as pause } from 'node:timers/promises';
import {
  compactVerify,
  createLocalJWKSet,
  type JSONWebKeySet,
  type JWSHeaderParameters,
  errors as joseErrors,
} from 'jose';
import { algorithms } from '../domain/oidc/tokens.ts';

/** How long keys count, in milliseconds: one that a provider has withdrawn verifies for no longer. */
const keptMs = 300_000;
/** How often they are fetched: so many times at once, and then once in so many milliseconds. */
const atOnceMax = 2;
const everyMs = 5_000;

export interface ProviderKeys {
  /** Returns whether the key of a token is in memory, so that nobody has to be asked for it. */
  has(header: JWSHeaderParameters): Promise<boolean>;
  /**
   * Verifies a token. If its key is not known, asks the provider, together with all other tokens that wait for that; if it was asked
   * just now, some seconds later.
   *
   * @throws JOSEError if the signature is wrong, or the provider has no such key; and whatever `fetchKeys` throws
   */
  verify(token: string, header: JWSHeaderParameters): Promise<void>;
}

/**
 * Creates the keys of a provider, none of which is known yet.
 *
 * @param fetchKeys throws if the provider does not answer with keys
 */
export function createProviderKeys(
  fetchKeys: () => Promise<JSONWebKeySet>,
  nowMs: () => number = () => performance.now(),
  wait: (ms: number) => Promise<unknown> = (ms) => pause(ms, undefined, { ref: false }),
): ProviderKeys {
  let known: { readonly keyOf: ReturnType<typeof createLocalJWKSet>; readonly fetchedAtMs: number } | null = null;
  /** When the next fetch would be made if they came one by one. */
  let nextAtMs = Number.NEGATIVE_INFINITY;
  let renewal: Promise<void> | null = null;
  let isAsking = false;

  const find = async (header: JWSHeaderParameters) => {
    if (known === null || nowMs() - known.fetchedAtMs >= keptMs) return null;
    try {
      return await known.keyOf(header);
    } catch (error) {
      if (error instanceof joseErrors.JWKSNoMatchingKey) return null;
      throw error;
    }
  };

  const fetchInTurn = async (): Promise<void> => {
    const now = nowMs();
    const waitMs = Math.max(0, nextAtMs - (atOnceMax - 1) * everyMs - now);
    nextAtMs = Math.max(nextAtMs, now + waitMs) + everyMs;
    if (waitMs > 0) await wait(waitMs);
    isAsking = true;
    const fetchedAtMs = nowMs();
    known = { keyOf: createLocalJWKSet(await fetchKeys()), fetchedAtMs };
  };
  const renew = (): Promise<void> => {
    renewal ??= fetchInTurn().finally(() => {
      renewal = null;
      isAsking = false;
    });
    return renewal;
  };

  return {
    has: async (header) => (await find(header).catch(() => null)) !== null,

    async verify(token, header) {
      // What is being answered may have been asked before the provider had the key.
      const mayBeOld = isAsking;
      let key = await find(header);
      for (let asked = 0; key === null && asked < (mayBeOld ? 2 : 1); asked += 1) {
        await renew();
        key = await find(header);
      }
      if (key === null) throw new joseErrors.JWKSNoMatchingKey();
      await compactVerify(token, key, { algorithms: [...algorithms] });
    },
  };
}
