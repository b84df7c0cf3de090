import { useDeletion } from '../../trail/deletion.tsx';
import { DeleteSamlModuleDocument } from './route.generated.ts';
import type { RouteOfLogin } from './saml.tsx';

/** Prepares the removal of a route's login. */
export function useLoginRemoval({ id, version, edge }: Pick<RouteOfLogin, 'id' | 'version' | 'edge'>) {
  return useDeletion({
    of: { id, version },
    kind: 'HttpsEdgeRoute',
    document: DeleteSamlModuleDocument,
    input: (expectedVersion) => ({ edgeId: edge.id, routeId: id, expectedVersion }),
    path: `/edges/https/${edge.id}/routes/${id}/saml`,
    alsoChanged: ['HttpsEdge', 'LoginSession'],
    deed: 'removes',
    said: 'The login was removed.',
    asks: true,
    undoes: (answer) => answer.deleteSamlModule?.httpsEdgeRoute,
    question: { title: 'Remove the login?', action: 'Remove it and open the route' },
    text:
      'The route is open to everybody at once, and all its sessions end. The key that signs requests is deleted: if the login comes ' +
      'back, the identity provider has to be told of another one. To let everybody in for a while, switch the login off instead.',
  });
}
