// Signs identities once for a session and a host: signing takes longer than a whole decision.

import { LRUCache } from 'lru-cache';
import { type IdentityKeys, signIdentity, type TokenAudience } from '../../domain/gate/identity-token.ts';
import type { Session } from '../../domain/gate/login.ts';

/** For how long the same token is sent, in seconds: half of the time that it is valid. */
const sentSeconds = 30;
const keptCharactersMax = 32_000_000;

/** A token that is kept, with the audience that it is for. */
interface KeptToken extends TokenAudience {
  readonly token: string;
  readonly untilMs: number;
}

export type SignIdentity = (session: Session, audience: TokenAudience, nowMs: number) => string;

/**
 * Creates the function that signs identities. It is never asked for a session that has ended.
 *
 * @param baseUrl scheme and host of our own pages
 */
export function createIdentitySigner(keys: IdentityKeys, baseUrl: string): SignIdentity {
  const bySession = new WeakMap<Session, KeptToken>();
  // A session is read anew every second, and a program has none.
  const byName = new LRUCache<string, KeptToken>({
    maxSize: keptCharactersMax,
    sizeCalculation: ({ token }) => token.length,
  });
  const isGood = (kept: KeptToken | undefined, { edgeId, hostport }: TokenAudience, nowMs: number): kept is KeptToken =>
    kept !== undefined && nowMs < kept.untilMs && kept.edgeId === edgeId && kept.hostport === hostport;
  return (session, audience, nowMs) => {
    const own = bySession.get(session);
    if (isGood(own, audience, nowMs)) return own.token;
    const name = `${session.sessionId ?? session.user} ${audience.edgeId} ${audience.hostport}`;
    let kept = byName.get(name);
    if (!isGood(kept, audience, nowMs)) {
      const token = signIdentity(keys, session, audience, baseUrl, nowMs);
      kept = { ...audience, token, untilMs: nowMs + sentSeconds * 1000 };
      byName.set(name, kept);
    }
    bySession.set(session, kept);
    return kept.token;
  };
}
