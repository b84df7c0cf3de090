// What the cache has to know beyond object ids: side effects of mutations that their answers do not show, and which changes may be
// shown optimistically.

import type { DataFields, OptimisticMutationResolver, UpdateResolver } from '@urql/exchange-graphcache';
import { kinds } from './kinds.ts';

/**
 * For types with an id that are not one entity: an actor, for example, is described as it was at the time of the event, and several
 * webhooks send the same message.
 */
const unkeyed = () => null;
const keys = { AuditActor: unkeyed, Ref: unkeyed, WebhookDelivery: unkeyed };

/** Invalidates the object that a mutation is about. */
const forgets =
  (kind: string): UpdateResolver<DataFields, { readonly input: { readonly id: string } }> =>
  (_, { input }, cache) =>
    cache.invalidate({ __typename: kind, id: input.id });

/**
 * Invalidates the version of the edge whose route is changed, because the server increments it too. The edge's other fields stay,
 * so that the page of the route, which shows them, can show the saved route without reading the edge again first.
 */
const forgetsVersionOfEdge: UpdateResolver<DataFields, { readonly input: { readonly edgeId: string } }> = (
  _,
  { input },
  cache,
) => cache.invalidate({ __typename: 'HttpsEdge', id: input.edgeId }, 'version');

/** Kinds that change when an object is restored: its parent, whose version is incremented, or the parts restored with it. */
const changedWithRestored: Readonly<Record<string, string>> = {
  HttpsEdge: 'HttpsEdgeRoute',
  HttpsEdgeRoute: 'HttpsEdge',
  IpPolicy: 'IpPolicyRule',
};

/** Invalidates the restored object and the objects that have changed with it. */
const forgetsRestored: UpdateResolver<{
  readonly restoreObject?: { readonly object?: { readonly __typename: string; readonly id: string } };
}> = (answer, _, cache) => {
  const object = answer.restoreObject?.object;
  // The object may have been deleted again.
  if (!object) return;
  cache.invalidate(object);
  const others = changedWithRestored[object.__typename];
  if (others !== undefined) cache.invalidate(others);
};

/** Invalidates all authorities, because deleting an announced successor also changes the authority that announced it. */
const forgetsAuthorities: UpdateResolver = (_, __, cache) => cache.invalidate('SshCertificateAuthority');

/**
 * Mutations that change more than they return. Otherwise a user who opens another object that the mutation changed would see its
 * old state, and a moment later a notice that it has changed since they looked at it.
 */
const updates = {
  Mutation: {
    announceSshCertificateAuthoritySuccessor: forgets('SshCertificateAuthority'),
    createHttpsEdgeRoute: forgetsVersionOfEdge,
    deleteHttpsEdgeRoute: forgetsVersionOfEdge,
    deleteOidcModule: forgetsVersionOfEdge,
    deleteSamlModule: forgetsVersionOfEdge,
    deleteSshCertificateAuthority: forgetsAuthorities,
    renewSshHostCertificate: forgets('SshHostCertificate'),
    replaceOidcModule: forgetsVersionOfEdge,
    replaceSamlModule: forgetsVersionOfEdge,
    restoreObject: forgetsRestored,
    updateHttpsEdgeRoute: forgetsVersionOfEdge,
  },
};

/** The free-text fields of an object. */
interface Notes {
  readonly id: string;
  readonly description?: string;
  readonly metadata?: string;
}

/** Returns an optimistic answer with an object's notes and no other changed field. */
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
 * Changes that are shown before the server has made them, and reverted if it refuses: only those to notes. Nobody's access depends
 * on notes, and the audit trail can restore them. Changes that affect access are shown only once they are in effect.
 */
const optimistic = Object.fromEntries(Object.keys(kinds).map((kind) => [`update${kind}`, noted(kind)]));

export const cacheOptions = { keys, updates, optimistic };
