// Identity providers as logins need them, read from their stored metadata.

import { LRUCache } from 'lru-cache';
import { inTurns } from '../../domain/concurrency/steps.ts';
import { type LoginProvider, readLoginProvider } from '../../domain/saml/login-provider.ts';

/** Most metadata that is cached in parsed form: parsing takes milliseconds. */
const providersMax = 200;

/**
 * Creates the reading, with a cache.
 *
 * @returns reads the metadata of what has an id. Throws as `readLoginProvider`
 */
export function createLoginProviders() {
  const providers = new LRUCache<string, { metadata: string; provider: Promise<LoginProvider> }>({ max: providersMax });
  return (accountId: string, id: string, metadata: string): Promise<LoginProvider> => {
    const known = providers.get(id);
    if (known?.metadata === metadata) return known.provider;
    const provider = inTurns(accountId, readLoginProvider(metadata));
    const kept = { metadata, provider };
    providers.set(id, kept);
    provider.catch(() => {
      if (providers.peek(id) === kept) providers.delete(id);
    });
    return provider;
  };
}
