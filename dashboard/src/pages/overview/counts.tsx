// The number of objects of each kind, with links to the lists.

import { type Counts as CountsRead, countsOf } from '../../client/counts.ts';
import { useData } from '../../client/data.ts';
import { kinds } from '../../client/kinds.ts';
import { useViewer } from '../../client/rights.ts';
import { Link } from '../../kit/link.tsx';
import { Unreadable } from '../../kit/notice.tsx';
import { sayNumber } from '../../kit/words.ts';
import styles from './overview.module.css';
import { countedIn } from './questions.ts';

/** The number of objects of each kind, for the kinds that the key may read. */
export function Counts() {
  const { scopes } = useViewer();
  const shown = countedIn(scopes);
  const { data, error, reload } = useData<CountsRead, object>(
    countsOf(shown),
    {},
    Object.keys(kinds),
    shown.length === 0,
  );
  if (shown.length === 0) return null;
  const listed = data === undefined ? shown : shown.filter(({ field }) => data[field]);
  return (
    <nav aria-label="Counts">
      {error && <Unreadable error={error} retry={reload} />}
      <ul className={styles.counts}>
        {listed.map(({ field, title, href }) => (
          <li key={field}>
            <Link href={href} className={styles.count}>
              <span>{title}</span> <b>{data?.[field] ? sayNumber(data[field].totalCount) : '–'}</b>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
