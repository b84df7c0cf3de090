// What refers to a policy: restrictions, routes and TLS edges, and the traffic policies of these.

import { useData } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import { usePages } from '../../client/pages.ts';
import { useCan } from '../../client/rights.ts';
import { Mode } from '../../impact/mode.tsx';
import { typeTitle } from '../../impact/words.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button, ButtonLink } from '../../kit/button.tsx';
import { Link } from '../../kit/link.tsx';
import { Loaded } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { count } from '../../kit/words.ts';
import {
  EdgesWithPoliciesDocument,
  type EdgesWithPoliciesQuery,
  PolicyDoorsDocument,
  PolicyUsersDocument,
} from './ip-policies.generated.ts';
import styles from './used-by.module.css';

type Edge = NonNullable<EdgesWithPoliciesQuery['tlsEdges']>['nodes'][number];

/** Returns whether the traffic policy of an edge refers to an IP policy in a `restrict-ips` action. */
function refersTo({ policy }: Edge, id: string): boolean {
  const actions = [...(policy?.inbound ?? []), ...(policy?.outbound ?? [])].flatMap((rule) => rule.actions);
  return actions.some(({ type, config }) => {
    if (type !== 'restrict-ips' || typeof config !== 'object' || config === null) return false;
    const named: unknown = 'ip_policies' in config ? config.ip_policies : null;
    return Array.isArray(named) && named.includes(id);
  });
}

function Restrictions({ id }: { id: string }) {
  const reading = useData(PolicyUsersDocument, { id }, ['IpRestriction']);
  return (
    <Panel title="IP restrictions" flush>
      <Loaded reading={reading}>
        {({ ipPolicy }) => {
          const users = ipPolicy?.restrictions.nodes ?? [];
          const total = ipPolicy?.restrictions.totalCount ?? 0;
          if (users.length === 0) {
            return (
              <div className={styles.none}>
                <p>No restriction refers to this policy.</p>
                <ButtonLink href="/ip-restrictions?new=1">New restriction</ButtonLink>
              </div>
            );
          }
          return (
            <ul className={styles.list}>
              {users.map((user) => (
                <li key={user.id}>
                  <Link href={`/ip-restrictions/${user.id}`}>{nameOf(user)}</Link>
                  <Badge>{typeTitle(user.type)}</Badge>
                  <Mode enforced={user.enforced} />
                </li>
              ))}
              {total > users.length && (
                <li className="muted">And {count(total - users.length, 'older restriction')} that refer to it.</li>
              )}
            </ul>
          );
        }}
      </Loaded>
    </Panel>
  );
}

function Edges({ id }: { id: string }) {
  const { nodes, hasMore, more, readingMore, error, reload } = usePages(
    EdgesWithPoliciesDocument,
    {},
    (data) => data.tlsEdges,
    ['TlsEdge'],
  );
  return (
    <Panel title="Traffic policies of TLS edges" flush>
      <Loaded reading={{ data: nodes?.filter((edge) => refersTo(edge, id)), error, reload }}>
        {(users) =>
          users.length === 0 ? (
            <p className={styles.none}>No traffic policy of a TLS edge names it in “restrict-ips”.</p>
          ) : (
            <ul className={styles.list}>
              {users.map((edge) => (
                <li key={edge.id}>
                  <Link href={`/tls-edges/${edge.id}`}>{nameOf(edge)}</Link>
                  <span className="muted">{edge.hostports.join(', ')}</span>
                  {edge.policy?.enabled === false && <Badge tone="caution">Policy is off</Badge>}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {hasMore && (
        <div className={styles.none}>
          <p>The newest {nodes?.length} edges were looked through.</p>
          <Button onPress={more} isPending={readingMore}>
            Look through more
          </Button>
        </div>
      )}
    </Panel>
  );
}

/** The routes and TLS edges whose own restriction refers to a policy. */
function Doors({ id }: { id: string }) {
  const withRoutes = useCan('https-edges:read');
  const withTlsEdges = useCan('tls-edges:read');
  const reading = useData(PolicyDoorsDocument, { id, withRoutes, withTlsEdges }, ['HttpsEdgeRoute', 'TlsEdge']);
  return (
    <Panel title="Routes and TLS edges" flush>
      <Loaded reading={reading}>
        {({ ipPolicy }) => {
          const routes = ipPolicy?.httpsEdgeRoutes?.nodes ?? [];
          const edges = ipPolicy?.tlsEdges?.nodes ?? [];
          const total = (ipPolicy?.httpsEdgeRoutes?.totalCount ?? 0) + (ipPolicy?.tlsEdges?.totalCount ?? 0);
          const more = total - routes.length - edges.length;
          if (total === 0)
            return <p className={styles.none}>No route and no TLS edge has it under “Who may come in”.</p>;
          return (
            <ul className={styles.list}>
              {routes.map((route) => (
                <li key={route.id}>
                  <Link href={`/https-edges/routes/${route.id}?tab=addresses`}>{route.match}</Link>
                  <span className="muted">{route.edge.hostports.join(', ')}</span>
                  {route.ipRestriction?.mode === 'suffice' && <Badge>Instead of a login</Badge>}
                  {route.ipRestriction?.enabled === false && <Badge tone="caution">Off</Badge>}
                </li>
              ))}
              {edges.map((edge) => (
                <li key={edge.id}>
                  <Link href={`/tls-edges/${edge.id}`}>{nameOf(edge)}</Link>
                  <span className="muted">{edge.hostports.join(', ')}</span>
                  {edge.ipRestriction?.enabled === false && <Badge tone="caution">Off</Badge>}
                </li>
              ))}
              {more > 0 && <li className="muted">And {count(more, 'older one')} that refer to it.</li>}
            </ul>
          );
        }}
      </Loaded>
    </Panel>
  );
}

/** What refers to a policy, as far as the key may see it. */
export function UsedBy({ id }: { id: string }) {
  const canReadRestrictions = useCan('ip-restrictions:read');
  const canReadRoutes = useCan('https-edges:read');
  const canReadEdges = useCan('tls-edges:read');
  return (
    <div className="stack">
      {canReadRestrictions && <Restrictions id={id} />}
      {(canReadRoutes || canReadEdges) && <Doors id={id} />}
      {canReadEdges && <Edges id={id} />}
    </div>
  );
}
