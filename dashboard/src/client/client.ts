// The GraphQL client, with one normalized cache that holds each object once, by its id.

import { cacheExchange } from '@urql/exchange-graphcache';
import { Client, type Exchange, fetchExchange } from 'urql';
import { pipe, tap } from 'wonka';
import { cacheOptions } from './cache.ts';
import { graphqlUrl, ownHeaders } from './server.ts';
import { sessionEnded, sessionRefused } from './session.ts';
import { supersededExchange } from './superseded.ts';

// An aborted stream leaves a rejected promise that urql never awaits. It is harmless, so it is kept out of the console.
addEventListener('unhandledrejection', (event) => {
  if (event.reason instanceof DOMException && event.reason.name === 'AbortError') event.preventDefault();
});

/** Watches every answer for the errors that say that the session has ended or that the server refuses this address. */
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

/** Creates the client of a session. Each session has its own, so that no data of one account is left for the next. */
export function createClient(): Client {
  return new Client({
    url: graphqlUrl,
    preferGetMethod: false,
    fetchSubscriptions: true,
    fetchOptions: { headers: ownHeaders },
    exchanges: [sessionExchange, cacheExchange(cacheOptions), supersededExchange, fetchExchange],
  });
}
