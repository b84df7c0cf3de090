// The routes that require a login, of all edges.

import { useEffect } from 'react';
import { nameOf } from '../../client/kinds.ts';
import { usePages } from '../../client/pages.ts';
import { inOrderOfDecision, urlAt } from './edges.ts';
import { RoutesWithLoginDocument } from './logins.generated.ts';

/** Reads all routes that require a login, page by page. Few accounts have more edges than the first page holds. */
export function useRoutesWithLogin() {
  const { nodes, error, hasMore, readingMore, more, reload } = usePages(
    RoutesWithLoginDocument,
    {},
    (data) => data.httpsEdges,
    ['HttpsEdge', 'HttpsEdgeRoute'],
  );
  const isNext = hasMore && !readingMore && !error;
  useEffect(() => {
    if (isNext) more();
  });
  const routes = (nodes ?? []).flatMap((edge) =>
    inOrderOfDecision(edge.routes.filter(({ saml, oidc }) => (saml ?? oidc) !== null)).map(
      ({ id, match, saml, oidc }) => ({
        value: id,
        title: (urlAt(edge.hostports, match) ?? `${nameOf(edge)} ${match}`).replace('https://', ''),
        saml,
        oidc,
      }),
    ),
  );
  return { routes, error, reload, isWhole: nodes !== undefined && !hasMore };
}
