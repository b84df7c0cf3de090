// The GraphQL client: one cache, in which each object stands once by its id.

import { cacheExchange } from '@urql/exchange-graphcache';
import { Client, fetchExchange, mapExchange } from 'urql';
import { cacheOptions } from './cache.ts';
import { graphqlUrl, ownHeaders } from './place.ts';
import { sessionEnded, sessionRefused } from './session.ts';

// A stream that is given up leaves a rejection behind which urql awaits nowhere: nobody's problem, and no line in the console.
addEventListener('unhandledrejection', (event) => {
  if (event.reason instanceof DOMException && event.reason.name === 'AbortError') event.preventDefault();
});

/** Creates the client of a session. Each has its own, so that nothing of one account is left for the next. */
export function createClient(): Client {
  return new Client({
    url: graphqlUrl,
    preferGetMethod: false,
    fetchSubscriptions: true,
    fetchOptions: { headers: ownHeaders },
    exchanges: [
      mapExchange({
        onError(error) {
          const codes = error.graphQLErrors.map(({ extensions }) => extensions.code);
          if (codes.includes('UNAUTHENTICATED')) sessionEnded();
          if (codes.includes('IP_RESTRICTED')) sessionRefused();
        },
      }),
      cacheExchange(cacheOptions),
      fetchExchange,
    ],
  });
}
