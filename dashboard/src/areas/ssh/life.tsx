// The validity period of a certificate.

import { Detail, Details } from '../../kit/page.tsx';
import { Time, useNow } from '../../kit/time.tsx';
import styles from './life.module.css';
import { renewableFrom, sayEnd, standingOf, type Validity } from './validity.ts';

const percent = (share: number) => `${(Math.min(Math.max(share, 0), 1) * 100).toFixed(2)}%`;

/** The validity period of a certificate: how much has passed, and from when in the last third its host renews it. */
export function Life({ of }: { of: Validity }) {
  const now = useNow(60_000);
  const from = Date.parse(of.validAfter);
  const until = Date.parse(of.validUntil);
  const renewable = renewableFrom(of);
  const over = (now - from) / (until - from);
  return (
    <div className="stack">
      <div className={styles.life} data-tone={standingOf(of, now).tone} aria-hidden="true">
        <span className={styles.over} style={{ width: percent(over) }} />
        {over > 0 && over < 1 && <span className={styles.now} style={{ left: percent(over) }} />}
      </div>
      <Details>
        <Detail name="Valid from">
          <Time value={of.validAfter} say={sayEnd} />
        </Detail>
        <Detail name="Renewed from">
          <Time value={new Date(renewable).toISOString()} say={sayEnd} />
          <span className="muted">, in the last third, by a host that renews by itself</span>
        </Detail>
        <Detail name="Ends">
          <Time value={of.validUntil} say={sayEnd} />
        </Detail>
      </Details>
    </div>
  );
}
