// What the cache has to know beyond the ids of objects: what a change does that its answer does not say, and what of it may be shown before.

import type { DataFields, Entity, OptimisticMutationResolver, UpdateResolver } from '@urql/exchange-graphcache';
import { kinds } from './kinds.ts';

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
