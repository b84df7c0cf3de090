// The timeline of host certificates: a bar from now to the expiry of each.

import { useNow } from '../../kit/time.tsx';
import { marks, onScale, renewableFrom, standingOf, type Validity } from './validity.ts';
import styles from './validity-bar.module.css';

const percent = (share: number) => `${(share * 100).toFixed(2)}%`;

/** The scale of the bars below it. */
export function Scale() {
  return (
    <span className={styles.scale}>
      <span className="hidden">Time left</span>
      {marks.map(({ title }, at) => (
        <span key={title} aria-hidden="true" style={{ left: percent(at / (marks.length - 1)) }}>
          {title}
        </span>
      ))}
    </span>
  );
}

/** A bar that shows how long a certificate is still valid, with a notch where it becomes renewable. */
export function ValidityBar({ of }: { of: Validity }) {
  const now = useNow(60_000);
  const { title, tone } = standingOf(of, now);
  const left = Date.parse(of.validUntil) - now;
  const notch = Date.parse(of.validUntil) - renewableFrom(of);
  return (
    <span className={styles.bar} data-tone={tone} title={title}>
      <span className="hidden">{title}</span>
      <span className={styles.fill} style={{ width: percent(onScale(left)) }} />
      {left > 0 && of.replacedById === null && (
        <span className={styles.notch} style={{ left: percent(onScale(notch)) }} />
      )}
    </span>
  );
}

/** The legend of the bars. Shown above them, because the end of a long list is rarely seen. */
export function Legend() {
  return (
    <span className={styles.legend} aria-hidden="true">
      <span data-tone="good">valid</span>
      <span data-tone="caution">to be renewed</span>
      <span data-tone="bad">late or ended</span>
      <span data-tone="neutral">replaced</span>
      <span className={styles.legendNotch}>renewed from here on</span>
    </span>
  );
}
