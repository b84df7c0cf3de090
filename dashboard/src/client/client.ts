// The GraphQL client: one cache, in which each object stands once by its id.

import { cacheExchange, type DataFields, type Entity, type UpdateResolver } from '@urql/exchange-graphcache';
import { Client, fetchExchange, mapExchange } from 'urql';
import { graphqlUrl, ownHeaders } from './place.ts';
import { sessionEnded, sessionRefused } from './session.ts';

/** For what has an id, and is yet not one thing: an actor is described as it was at the time of the event. */
const unkeyed = () => null;
const keys = { AuditActor: unkeyed, Ref: unkeyed };

/** Forgets the object that a change is about. */
const forgets =
  (kind: string): UpdateResolver<DataFields, { readonly input: { readonly id: string } }> =>
  (_, { input }, cache) =>
    cache.invalidate({ __typename: kind, id: input.id });

/** Forgets what was put back. */
const forgetsRestored: UpdateResolver<{ readonly restoreObject?: { readonly object?: Entity } }> = (
  answer,
  _,
  cache,
) => {
  const object = answer.restoreObject?.object;
  // It may be gone again.
  if (object) cache.invalidate(object);
};

/** Forgets all authorities: the one that has announced a successor is another one, if there is any. */
const forgetsAuthorities: UpdateResolver = (_, __, cache) => cache.invalidate('SshCertificateAuthority');

/**
 * Changes of more than what they answer with. Whoever goes to an object that they have changed as well would be shown what it was, and
 * be told a moment later that it was changed since they looked at it.
 */
const updates = {
  Mutation: {
    announceSshCertificateAuthoritySuccessor: forgets('SshCertificateAuthority'),
    deleteSshCertificateAuthority: forgetsAuthorities,
    renewSshHostCertificate: forgets('SshHostCertificate'),
    restoreObject: forgetsRestored,
  },
};

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
      cacheExchange({ keys, updates }),
      fetchExchange,
    ],
  });
}
