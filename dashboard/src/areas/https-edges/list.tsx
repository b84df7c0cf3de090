// The HTTPS edges.

import { usePages } from '../../client/pages.ts';
import { EdgeList } from '../../edges/list.tsx';
import { Badge } from '../../kit/badge.tsx';
import { listOrders, useQuestion } from '../../kit/question.ts';
import { CreateHttpsEdgeDocument, HttpsEdgesDocument, type HttpsEdgesQuery } from './https-edges.generated.ts';

type Edge = NonNullable<HttpsEdgesQuery['httpsEdges']>['nodes'][number];

function Routes({ edge: { routes } }: { edge: Edge }) {
  if (routes.length === 0) return <Badge tone="caution">none: refuses all</Badge>;
  const withLogin = routes.filter(({ saml, oidc }) => (saml ?? oidc)?.enabled).length;
  return (
    <span className="row">
      {routes.length}
      {withLogin > 0 && <Badge tone="good">{withLogin === routes.length ? 'login' : `${withLogin} with login`}</Badge>}
    </span>
  );
}

export default function HttpsEdges() {
  const question = useQuestion(listOrders);
  const pages = usePages(HttpsEdgesDocument, question.variables, (data) => data.httpsEdges, [
    'HttpsEdge',
    'HttpsEdgeRoute',
  ]);
  return (
    <EdgeList
      title="HTTPS edges"
      description="Applications behind the gate: your reverse proxy asks about each request before it passes it on."
      path="https-edges"
      question={question}
      pages={pages}
      columns={[{ title: 'Routes', cell: (edge) => <Routes edge={edge} /> }]}
      empty={{
        title: 'No HTTPS edges yet',
        text: 'An edge is an application by its public host, such as app.example.com. Its routes say which paths may be reached, and which of them only after a login. Then your proxy gets the configuration that is made here.',
      }}
      making={{
        title: 'New HTTPS edge',
        kind: 'HttpsEdge',
        document: CreateHttpsEdgeDocument,
        path: '/edges/https',
        made: ({ createHttpsEdge }) => createHttpsEdge?.httpsEdge,
        hint: 'What people call the application, such as “Intranet”.',
        hosts: { label: 'Hosts', placeholder: 'app.example.com:443' },
      }}
    />
  );
}
