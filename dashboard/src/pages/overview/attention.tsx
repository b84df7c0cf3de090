// What needs attention, the most urgent first.

import { useData } from '../../client/data.ts';
import { pageOf } from '../../client/kinds.ts';
import type { AttentionCode, AttentionSeverity } from '../../client/types.generated.ts';
import { Badge } from '../../kit/badge.tsx';
import { CheckIcon } from '../../kit/icons.tsx';
import { Link } from '../../kit/link.tsx';
import { Loaded, Loading, type Tone } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { Time } from '../../kit/time.tsx';
import { AttentionDocument, type AttentionQuery } from './overview.generated.ts';
import styles from './overview.module.css';
import { ticks } from './reading.ts';

type Item = NonNullable<AttentionQuery['attention']>[number];

const groups: readonly { severity: AttentionSeverity; title: string; tone: Tone }[] = [
  { severity: 'critical', title: 'Critical', tone: 'bad' },
  { severity: 'warning', title: 'Warning', tone: 'caution' },
  { severity: 'notice', title: 'Notice', tone: 'neutral' },
];

/** The lists for entries that are not about a single object. */
const places: Partial<Record<AttentionCode, { title: string; href: string }>> = {
  ssh_certificates_expire: { title: 'Certificates', href: '/ssh?tab=certificates' },
  ssh_certificates_expired: { title: 'Certificates', href: '/ssh?tab=certificates' },
  logins_fail: { title: 'Refused logins', href: '/audit-trail?action=refuse' },
  requests_refused: { title: 'Refused requests', href: '/audit-trail?action=refuse' },
};

/** Returns the list in which to look into an entry; null if its subject has a page of its own. */
function placeOf({ code, subjectId }: Item): { title: string; href: string } | null {
  if (code === 'requests_refused' && subjectId !== null) {
    return { title: 'Refused requests', href: `/audit-trail?action=refuse&actor=${subjectId}` };
  }
  return (subjectId === null || code === 'logins_fail' ? places[code] : undefined) ?? null;
}

/** A message, in which the name of its subject is a link. */
function Message({ item: { message, subjectId, subjectKind, subjectName } }: { item: Item }) {
  const page = subjectId === null || subjectKind === null ? null : pageOf(subjectKind, subjectId);
  const [before = '', ...rest] = subjectName === null ? [message] : message.split(subjectName);
  if (page === null || subjectName === null || rest.length === 0) return message;
  return (
    <>
      {before}
      <Link href={page}>{subjectName}</Link>
      {rest.join(subjectName)}
    </>
  );
}

function Line({ item, tone, title }: { item: Item; tone: Tone; title: string }) {
  const place = placeOf(item);
  return (
    <li className={styles.item}>
      <Badge tone={tone}>{title}</Badge>
      <p>
        <Message item={item} />
        {item.at !== null && (
          <span className={styles.at}>
            {' '}
            <Time value={item.at} />
          </span>
        )}
      </p>
      {place && (
        <Link href={place.href} aria-label={`${place.title}: ${item.message}`}>
          {place.title}
        </Link>
      )}
    </li>
  );
}

function Items({ items }: { items: readonly Item[] }) {
  if (items.length === 0) {
    return (
      <p className={styles.calm}>
        <CheckIcon /> Nothing. Certificates, keys, restrictions and logins are as they should be.
      </p>
    );
  }
  return groups.map(({ severity, title, tone }) => {
    const some = items.filter((item) => item.severity === severity);
    if (some.length === 0) return null;
    return (
      <ul key={severity} aria-label={title} className={styles.items}>
        {some.map((item) => (
          <Line key={`${item.code} ${item.subjectId} ${item.message}`} item={item} tone={tone} title={title} />
        ))}
      </ul>
    );
  });
}

/** The panel that lists what needs attention, with links. */
export function AttentionPanel() {
  const reading = useData(AttentionDocument, {}, ticks);
  return (
    <Panel title="Needs attention" flush>
      <Loaded reading={reading} placeholder={<Loading line />}>
        {({ attention }) => <Items items={attention ?? []} />}
      </Loaded>
    </Panel>
  );
}
