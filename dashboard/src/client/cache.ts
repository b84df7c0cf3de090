// What the cache has to know beyond the ids of objects: what a change does that its answer does not say, and what of it may be shown before.

import type { DataFields, OptimisticMutationResolver, UpdateResolver } from '@urql/exchange-graphcache';
import { kinds } from './kinds.ts';

/** For what has an id, and is yet not one thing: an actor is described as it was at the time of the event. */
const unkeyed = () => null;
const keys = { AuditActor: unkeyed, Ref: unkeyed };

/** Forgets the object that a change is about. */
const forgets =
  (kind: string): UpdateResolver<DataFields, { readonly input: { readonly id: string } }> =>
  (_, { input }, cache) =>
    cache.invalidate({ __typename: kind, id: input.id });

/**
 * Forgets the version of the edge whose route is changed: the edge counts it up as well. What else is known of the edge stays, so that
 * the page of the route, which shows it, need not be read again before it shows what was saved.
 */
const forgetsVersionOfEdge: UpdateResolver<DataFields, { readonly input: { readonly edgeId: string } }> = (
  _,
  { input },
  cache,
) => cache.invalidate({ __typename: 'HttpsEdge', id: input.edgeId }, 'version');

/** Kinds of objects that are changed with one that is put back: the whole that counts it, or its parts, which come back with it. */
const changedWithRestored: Readonly<Record<string, string>> = {
  HttpsEdge: 'HttpsEdgeRoute',
  HttpsEdgeRoute: 'HttpsEdge',
  IpPolicy: 'IpPolicyRule',
};

/** Forgets what was put back, and what has changed with it. */
const forgetsRestored: UpdateResolver<{
  readonly restoreObject?: { readonly object?: { readonly __typename: string; readonly id: string } };
}> = (answer, _, cache) => {
  const object = answer.restoreObject?.object;
  // It may be gone again.
  if (!object) return;
  cache.invalidate(object);
  const others = changedWithRestored[object.__typename];
  if (others !== undefined) cache.invalidate(others);
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
    createHttpsEdgeRoute: forgetsVersionOfEdge,
    deleteHttpsEdgeRoute: forgetsVersionOfEdge,
    deleteSamlModule: forgetsVersionOfEdge,
    deleteSshCertificateAuthority: forgetsAuthorities,
    renewSshHostCertificate: forgets('SshHostCertificate'),
    replaceSamlModule: forgetsVersionOfEdge,
    restoreObject: forgetsRestored,
    updateHttpsEdgeRoute: forgetsVersionOfEdge,
  },
};

/** What people write about an object. */
interface Notes {
  readonly id: string;
  readonly description?: string;
  readonly metadata?: string;
}

/** Gives an object with what people have written about it, and nothing else that a change may be about. */
const noted =
  (kind: string): OptimisticMutationResolver<{ readonly input: Notes }> =>
  ({ input: { id, description, metadata } }) => ({
    __typename: `Update${kind}Payload`,
    [kind.charAt(0).toLowerCase() + kind.slice(1)]: {
      __typename: kind,
      id,
      ...(description !== undefined && { description }),
      ...(metadata !== undefined && { metadata }),
    },
  });

/**
 * Changes that are shown before the server has made them, and taken back where it does not: of what people write about objects. Nobody's
 * access depends on it, and the trail puts it back. Whatever decides who may come in is shown when it does.
 */
const optimistic = Object.fromEntries(Object.keys(kinds).map((kind) => [`update${kind}`, noted(kind)]));

export const cacheOptions = { keys, updates, optimistic };
