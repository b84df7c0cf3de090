// Whom a change to restrictions or policies keeps out or lets in.

import { nameOf } from '../client/kinds.ts';
import type { IpRestrictionType } from '../client/types.generated.ts';
import { Badge } from '../kit/badge.tsx';
import { Link } from '../kit/link.tsx';
import { Time } from '../kit/time.tsx';
import { count } from '../kit/words.ts';
import type { RestrictionImpactFragment, RouteImpactFragment, TlsEdgeImpactFragment } from './impact.generated.ts';
import styles from './impact.module.css';
import { Mode } from './mode.tsx';
import { typeTitle } from './words.ts';

/** What a change does at a restriction, or at a door: a route or a TLS edge with an IP restriction module. */
export interface Impact extends RestrictionImpactFragment {
  readonly door?: { readonly href: string; readonly name: string; readonly kind: string };
}

/** Returns what a change does at routes and TLS edges, in the form of what it does at restrictions. */
export function impactsAtDoors(
  routes: readonly RouteImpactFragment[],
  tlsEdges: readonly TlsEdgeImpactFragment[],
): Impact[] {
  // A door guards an application, not the dashboard.
  const atDoor = { restriction: null, refusesYou: false };
  return [
    ...routes.map(({ httpsEdgeRoute, enabled, ...impact }) => {
      const door = { href: `/https-edges/routes/${httpsEdgeRoute.id}`, name: nameOf(httpsEdgeRoute), kind: 'Route' };
      return { ...impact, ...atDoor, enforced: enabled, door };
    }),
    ...tlsEdges.map(({ tlsEdge, enabled, ...impact }) => {
      const door = { href: `/tls-edges/${tlsEdge.id}`, name: nameOf(tlsEdge), kind: 'TLS edge' };
      return { ...impact, ...atDoor, enforced: enabled, door };
    }),
  ];
}

/** Returns whether a change keeps out somebody who is let in now. */
export const keepsOut = (impact: Impact): boolean =>
  impact.refusesYou || (impact.enforced && impact.newlyRefusedCount > 0);

/** Number of ranges shown without expanding the list. */
const shownMax = 6;

function Ranges({ ranges, total }: { ranges: Impact['newlyRefused']; total: number }) {
  const texts = ranges.map(({ text }) => text);
  const rest = texts.slice(shownMax);
  return (
    <div className={styles.ranges}>
      {texts.slice(0, shownMax).map((text) => (
        <code key={text}>{text}</code>
      ))}
      {rest.length > 0 && (
        <details>
          <summary>{count(total - shownMax, 'range')} more</summary>
          <div className={styles.ranges}>
            {rest.map((text) => (
              <code key={text}>{text}</code>
            ))}
            {total > texts.length && <span className="muted">and {count(total - texts.length, 'range')}</span>}
          </div>
        </details>
      )}
    </div>
  );
}

/** What a change does at one restriction. `type` is the type of a restriction that does not exist yet. */
function ImpactOf({ impact, type }: { impact: Impact; type?: IpRestrictionType | undefined }) {
  const { restriction, door, enforced, newlyRefusedCount, newlyAllowedCount, seen } = impact;
  const at = restriction ? { href: `/ip-restrictions/${restriction.id}`, name: nameOf(restriction) } : (door ?? null);
  const kind = door === undefined ? (restriction?.type ?? type) : undefined;
  const warns =
    door === undefined ? 'Warns of, and would keep out if it were enforced' : 'Would keep out if it were on';
  return (
    <div className={styles.impact}>
      <p className="row">
        {at === null ? (
          <span>This restriction</span>
        ) : (
          <Link href={at.href} target="_blank">
            {at.name}
          </Link>
        )}
        {kind && <Badge>{typeTitle(kind)}</Badge>}
        {door && <Badge>{door.kind}</Badge>}
        {door ? !enforced && <Badge tone="caution">Off</Badge> : <Mode enforced={enforced} />}
        {impact.refusesYou && <Badge tone="bad">You as well</Badge>}
      </p>
      {newlyRefusedCount === 0 && newlyAllowedCount === 0 && <p className={styles.none}>Nobody is affected.</p>}
      {newlyRefusedCount > 0 && (
        <div className={styles.group}>
          <span className={enforced ? styles.out : styles.warned}>{enforced ? 'Keeps out' : warns}</span>
          <Ranges ranges={impact.newlyRefused} total={newlyRefusedCount} />
        </div>
      )}
      {newlyAllowedCount > 0 && (
        <div className={styles.group}>
          <span className={styles.in}>Lets in</span>
          <Ranges ranges={impact.newlyAllowed} total={newlyAllowedCount} />
        </div>
      )}
      {seen && seen.length > 0 && (
        <div className={styles.group}>
          <span className={enforced ? styles.out : styles.warned}>Among them, seen in the last 30 days</span>
          <ul className={styles.seen}>
            {seen.map(({ address, who, lastSeenAt }) => (
              <li key={address}>
                <code>{address}</code>
                <span>{who}</span>
                <Time value={lastSeenAt} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {seen && seen.length === 0 && newlyRefusedCount > 0 && (
        <p className={styles.none}>None of these addresses was seen in the last 30 days.</p>
      )}
    </div>
  );
}

/** What a change does at each restriction, or a sentence that says that nobody is affected. */
export function Impacts({ impacts, type }: { impacts: readonly Impact[]; type?: IpRestrictionType | undefined }) {
  if (impacts.length === 0) return <p className={styles.none}>Nothing refers to this policy.</p>;
  return (
    <div className={styles.impacts}>
      {impacts.map((impact) => (
        <ImpactOf key={impact.restriction?.id ?? impact.door?.href ?? ''} impact={impact} type={type} />
      ))}
    </div>
  );
}
