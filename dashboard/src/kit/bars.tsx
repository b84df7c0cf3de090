// A stacked bar chart of counts over time.

import styles from './bars.module.css';
import type { Tone } from './notice.tsx';
import { sayMoment } from './time.tsx';
import { sayNumber } from './words.ts';

/** One series: a segment of each bar. */
export interface Series<R> {
  readonly title: string;
  readonly tone: Tone;
  readonly count: (row: R) => number;
}

const step = 10;
const gap = 2;
const height = 100;

/**
 * A stacked bar chart over time. The same data can also be read as a table of the non-empty bars.
 *
 * @param label what is counted, such as `Requests`
 * @param rows one for each bar, the oldest first
 * @param series the segments of a bar, the lowest first
 */
export function Bars<R extends { readonly at: string }>({
  label,
  rows,
  series,
}: {
  label: string;
  rows: readonly R[];
  series: readonly Series<R>[];
}) {
  const sum = (row: R) => series.reduce((total, { count }) => total + count(row), 0);
  const highest = rows.reduce((most, row) => Math.max(most, sum(row)), 0);
  const filled = rows.filter((row) => sum(row) > 0);
  const first = rows[0];
  return (
    <figure className={styles.figure}>
      <figcaption className={styles.legend}>
        {series.map(({ title, tone, count }) => (
          <span key={title} className={styles[tone]}>
            {title} <b>{sayNumber(rows.reduce((total, row) => total + count(row), 0))}</b>
          </span>
        ))}
      </figcaption>
      <div className={styles.picture}>
        <span className={styles.top} aria-hidden="true">
          {highest > 0 && sayNumber(highest)}
        </span>
        <svg viewBox={`0 0 ${rows.length * step} ${height}`} preserveAspectRatio="none" aria-hidden="true">
          {rows.map((row, index) => {
            let top = height;
            const words = series.map(({ title, count }) => `${title}: ${sayNumber(count(row))}`);
            return (
              <g key={row.at} className={styles.bar}>
                <title>{[sayMoment(new Date(row.at)), ...words].join('\n')}</title>
                <rect x={index * step} y={0} width={step} height={height} className={styles.hold} />
                {series.map(({ title, tone, count }) => {
                  const size = highest === 0 ? 0 : (count(row) / highest) * height;
                  top -= size;
                  return (
                    size > 0 && (
                      <rect
                        key={title}
                        x={index * step + gap / 2}
                        y={top}
                        width={step - gap}
                        height={size}
                        className={styles[tone]}
                      />
                    )
                  );
                })}
              </g>
            );
          })}
        </svg>
        {highest === 0 && <p className={styles.none}>Nothing yet</p>}
        <div className={styles.axis} aria-hidden="true">
          <span>{first && sayMoment(new Date(first.at))}</span>
          <span>now</span>
        </div>
      </div>
      <details className={styles.table}>
        <summary>As a table</summary>
        {filled.length === 0 ? (
          <p className="muted">Nothing within this time.</p>
        ) : (
          <table aria-label={label}>
            <thead>
              <tr>
                <th scope="col">From</th>
                {series.map(({ title }) => (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {filled.map((row) => (
                <tr key={row.at}>
                  <th scope="row">{sayMoment(new Date(row.at))}</th>
                  {series.map(({ title, count }) => (
                    <td key={title}>{sayNumber(count(row))}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </details>
    </figure>
  );
}
