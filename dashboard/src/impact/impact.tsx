// Whom a change to restrictions or policies keeps out or lets in.

import { nameOf } from '../client/kinds.ts';
import type { IpRestrictionType } from '../client/types.generated.ts';
import { Badge } from '../kit/badge.tsx';
import { Link } from '../kit/link.tsx';
import { Time } from '../kit/time.tsx';
import { count } from '../kit/words.ts';
import type { RestrictionImpactFragment } from './impact.generated.ts';
import styles from './impact.module.css';
import { Mode } from './mode.tsx';
import { typeTitle } from './words.ts';

/** What a change does at a restriction. */
export type Impact = RestrictionImpactFragment;

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
  const { restriction, enforced, newlyRefusedCount, newlyAllowedCount, seen } = impact;
  const kind = restriction?.type ?? type;
  return (
    <div className={styles.impact}>
      <p className="row">
        {restriction ? (
          <Link href={`/ip-restrictions/${restriction.id}`} target="_blank">
            {nameOf(restriction)}
          </Link>
        ) : (
          <span>This restriction</span>
        )}
        {kind && <Badge>{typeTitle(kind)}</Badge>}
        <Mode enforced={enforced} />
        {impact.refusesYou && <Badge tone="bad">You as well</Badge>}
      </p>
      {newlyRefusedCount === 0 && newlyAllowedCount === 0 && <p className={styles.none}>Nobody is affected.</p>}
      {newlyRefusedCount > 0 && (
        <div className={styles.group}>
          <span className={enforced ? styles.out : styles.warned}>
            {enforced ? 'Keeps out' : 'Warns of, and would keep out if it were enforced'}
          </span>
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
  if (impacts.length === 0) return <p className={styles.none}>No IP restriction refers to this policy.</p>;
  return (
    <div className={styles.impacts}>
      {impacts.map((impact) => (
        <ImpactOf key={impact.restriction?.id ?? ''} impact={impact} type={type} />
      ))}
    </div>
  );
}
