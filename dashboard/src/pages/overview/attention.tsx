// What needs attention: a list of things to do, each with one link to do it. What has the same reason is one line, which opens.

import { type AttentionGroup, type AttentionItem, useAttention } from '../../attention/attention.tsx';
import { actionOf, sayGroup } from '../../attention/reasons.ts';
import { pageOf } from '../../client/kinds.ts';
import type { AttentionSeverity } from '../../client/types.generated.ts';
import { Badge } from '../../kit/badge.tsx';
import { CheckIcon, ChevronIcon } from '../../kit/icons.tsx';
import { Link } from '../../kit/link.tsx';
import { Loaded, Loading, type Tone } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { sayMoment, Time } from '../../kit/time.tsx';
import { sayNumber } from '../../kit/words.ts';
import styles from './attention.module.css';

const severities: Readonly<Record<AttentionSeverity, { readonly title: string; readonly tone: Tone }>> = {
  critical: { title: 'Critical', tone: 'bad' },
  warning: { title: 'Warning', tone: 'caution' },
  notice: { title: 'Notice', tone: 'neutral' },
};

function Severity({ of: { severity } }: { of: { readonly severity: AttentionSeverity } }) {
  const { title, tone } = severities[severity];
  return (
    <span className={styles.severity}>
      <Badge tone={tone}>{title}</Badge>
    </span>
  );
}

const timestamp = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)/;

/** A message whose times are in the reader's zone. */
function Localized({ text }: { text: string }) {
  return text.split(timestamp).map((part, index) =>
    timestamp.test(part) ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence have an order and no identity.
      <time key={index} dateTime={part}>
        {sayMoment(new Date(part))}
      </time>
    ) : (
      part
    ),
  );
}

/** A message, in which the name of its subject is a link. */
function Message({ item: { message, subjectId, subjectKind, subjectName } }: { item: AttentionItem }) {
  const page = subjectId === null || subjectKind === null ? null : pageOf(subjectKind, subjectId);
  const [before = '', ...rest] = subjectName === null ? [message] : message.split(subjectName);
  if (page === null || subjectName === null || rest.length === 0) return <Localized text={message} />;
  return (
    <>
      <Localized text={before} />
      <Link href={page}>{subjectName}</Link>
      <Localized text={rest.join(subjectName)} />
    </>
  );
}

function Due({ at }: { at: string | null }) {
  return <span className={styles.at}>{at !== null && <Time value={at} />}</span>;
}

/** A thing to do: what, by when, and where. */
function Item({ group: { code }, item, isAlone }: { group: AttentionGroup; item: AttentionItem; isAlone: boolean }) {
  const { title, href } = actionOf(code, item);
  return (
    <div className={styles.item}>
      {isAlone ? <Severity of={item} /> : <span className={styles.severity} />}
      <p className={styles.what}>
        <Message item={item} />
      </p>
      <Due at={item.at} />
      <Link href={href} className={styles.action} aria-label={`${title}: ${item.message}`}>
        {title}
      </Link>
    </div>
  );
}

/** Several things to do for the same reason, in one line that opens. */
function Group({ group }: { group: AttentionGroup }) {
  const { code, count, at, items } = group;
  const others = count - items.reduce((sum, item) => sum + item.count, 0);
  return (
    <details>
      <summary className={styles.item}>
        <Severity of={group} />
        <span className={styles.what}>{sayGroup(code, count)}</span>
        <Due at={at} />
        <span className={styles.action}>
          <ChevronIcon />
        </span>
      </summary>
      <ul>
        {items.map((item) => (
          <li key={`${item.subjectId} ${item.message}`} className={styles.within}>
            <Item group={group} item={item} isAlone={false} />
          </li>
        ))}
      </ul>
      {others > 0 && (
        <p className={`${styles.within} ${styles.others}`}>and {sayNumber(others)} more, which are less urgent</p>
      )}
    </details>
  );
}

function Groups({ groups }: { groups: readonly AttentionGroup[] }) {
  if (groups.length === 0) {
    return (
      <p className={styles.calm}>
        <span className={styles.calmIcon}>
          <CheckIcon />
        </span>{' '}
        Nothing. Certificates, keys, restrictions and logins are as they should be.
      </p>
    );
  }
  return (
    <ul aria-label="Things to do">
      {groups.map((group) => {
        const [item] = group.items;
        return (
          <li key={group.code} className={styles.entry}>
            {group.count === 1 && item ? <Item group={group} item={item} isAlone /> : <Group group={group} />}
          </li>
        );
      })}
    </ul>
  );
}

/** The panel that lists what needs attention. */
export function AttentionPanel() {
  return (
    <Panel title="Needs attention" flush>
      <Loaded reading={useAttention()} placeholder={<Loading line />}>
        {({ attentionGroups }) => <Groups groups={attentionGroups ?? []} />}
      </Loaded>
    </Panel>
  );
}
