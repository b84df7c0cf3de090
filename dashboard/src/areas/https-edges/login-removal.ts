import { type Deletion, useDeletion } from '../../trail/deletion.tsx';
import type { RouteOfLogin } from './login.tsx';
import { DeleteOidcModuleDocument, DeleteSamlModuleDocument } from './route.generated.ts';

/** What the removals of both protocols have in common. */
function removalOf({ id, version, edge }: Pick<RouteOfLogin, 'id' | 'version' | 'edge'>, protocol: string) {
  return {
    of: { id, version },
    kind: 'HttpsEdgeRoute',
    input: (expectedVersion: number) => ({ edgeId: edge.id, routeId: id, expectedVersion }),
    path: `/edges/https/${edge.id}/routes/${id}/${protocol}`,
    alsoChanged: ['HttpsEdge', 'LoginSession'],
    deed: 'removes',
    said: 'The login was removed.',
    asks: true,
    question: { title: 'Remove the login?', action: 'Remove it and open the route' },
  } as const;
}

const opens = 'The route is open to everybody at once, and all its sessions end.';
const forAWhile = 'To let everybody in for a while, switch the login off instead.';

/** Prepares the removal of a route's login by SAML. */
export function useSamlRemoval(route: RouteOfLogin): Deletion {
  return useDeletion({
    ...removalOf(route, 'saml'),
    document: DeleteSamlModuleDocument,
    undoes: (answer) => answer.deleteSamlModule?.httpsEdgeRoute,
    text: `${opens} The key that signs requests is deleted: if the login comes back, the identity provider has to be told of another one. ${forAWhile}`,
  });
}

/** Prepares the removal of a route's login by OpenID Connect. */
export function useOidcRemoval(route: RouteOfLogin): Deletion {
  return useDeletion({
    ...removalOf(route, 'oidc'),
    document: DeleteOidcModuleDocument,
    undoes: (answer) => answer.deleteOidcModule?.httpsEdgeRoute,
    text: `${opens} The client secret is deleted: if the login comes back, nobody can log in until it is entered again. ${forAWhile}`,
  });
}
