// The GraphQL client: one cache, in which each object stands once by its id.

import { cacheExchange } from '@urql/exchange-graphcache';
import { Client, type Exchange, fetchExchange } from 'urql';
import { pipe, tap } from 'wonka';
import { cacheOptions } from './cache.ts';
import { graphqlUrl, ownHeaders } from './place.ts';
import { sessionEnded, sessionRefused } from './session.ts';
import { supersededExchange } from './superseded.ts';

// A stream that is given up leaves a rejection behind which urql awaits nowhere: nobody's problem, and no line in the console.
addEventListener('unhandledrejection', (event) => {
  if (event.reason instanceof DOMException && event.reason.name === 'AbortError') event.preventDefault();
});

/** Hears from every answer when the session is over, or may not be used from here. */
const sessionExchange: Exchange =
  ({ forward }) =>
  (operations) =>
    pipe(
      forward(operations),
      tap(({ error }) => {
        const codes = error?.graphQLErrors.map(({ extensions }) => extensions.code);
        if (codes?.includes('UNAUTHENTICATED')) sessionEnded();
        if (codes?.includes('IP_RESTRICTED')) sessionRefused();
      }),
    );

/** Creates the client of a session. Each has its own, so that nothing of one account is left for the next. */
export function createClient(): Client {
  return new Client({
    url: graphqlUrl,
    preferGetMethod: false,
    fetchSubscriptions: true,
    fetchOptions: { headers: ownHeaders },
    exchanges: [sessionExchange, cacheExchange(cacheOptions), supersededExchange, fetchExchange],
  });
}
