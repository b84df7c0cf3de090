// What a page shows besides its data: notices, problems, and empty and loading states.

import { createContext, type ReactNode, useContext } from 'react';
import type { CombinedError } from 'urql';
import { type Problem, problemOf, remedies } from '../client/problem.ts';
import { Button, ButtonLink } from './button.tsx';
import { CheckIcon, InfoIcon, WarningIcon } from './icons.tsx';
import styles from './notice.module.css';
import { Page } from './page.tsx';

/** The tone of a notice or badge. */
export type Tone = 'neutral' | 'good' | 'caution' | 'bad' | 'accent';

/** Whether a surrounding live region (`Answers`) already announces the content, so that it is not announced twice. */
const IsToldContext = createContext(false);

/** A notice. With the tone `bad`, it is an alert. */
export function Notice({
  tone = 'neutral',
  title,
  actions,
  children,
}: {
  tone?: Tone;
  title?: string;
  actions?: ReactNode;
  children?: ReactNode;
}) {
  const isTold = useContext(IsToldContext);
  return (
    <div className={`${styles.notice} ${styles[tone] ?? ''}`} role={tone === 'bad' && !isTold ? 'alert' : 'note'}>
      {tone === 'good' ? <CheckIcon /> : tone === 'neutral' ? <InfoIcon /> : <WarningIcon />}
      <div className={styles.text}>
        {title !== undefined && <strong>{title} </strong>}
        {children}
      </div>
      {actions}
    </div>
  );
}

/** A problem, with its code and what to do about it. */
export function ProblemNotice({ problem, actions }: { problem: Problem | null; actions?: ReactNode }) {
  if (problem === null) return null;
  const remedy = remedies[problem.code];
  if (problem.code === 'APPROVAL_REQUIRED') {
    return (
      <Notice
        tone="caution"
        title="This waits for a second person."
        actions={<ButtonLink href="/approvals">See what waits</ButtonLink>}
      >
        {problem.message}
      </Notice>
    );
  }
  return (
    <Notice tone="bad" actions={actions}>
      {problem.message} {remedy} <span className={styles.code}>{problem.code}</span>
    </Notice>
  );
}

/** Says that something could not be read, with a button to try again. */
export function Unreadable({ error, retry }: { error: CombinedError; retry: () => void }) {
  return <ProblemNotice problem={problemOf(error)} actions={<Button onPress={retry}>Try again</Button>} />;
}

/**
 * A live region for content that users wait for or need to know. It is rendered before its content, because screen readers do not
 * announce content that appears together with its region (https://www.w3.org/TR/WCAG22/#status-messages).
 */
export function Answers({ children }: { children: ReactNode }) {
  return (
    <div className={`stack ${styles.answers}`} aria-live="polite">
      <IsToldContext value={true}>{children}</IsToldContext>
    </div>
  );
}

/** Empty state: what would be here, what it is for, and one way on. */
export function Empty({ title, children, actions }: { title: string; children: ReactNode; actions?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <h2>{title}</h2>
      <p>{children}</p>
      {actions !== undefined && <div className="row">{actions}</div>}
    </div>
  );
}

/** Loading indicator. With `line`, it is as high as a line of a list, so that the content below does not move. */
export function Loading({ line = false }: { line?: boolean }) {
  return (
    <div className={styles.loading} role="status" aria-label="Loading">
      <span />
      {!line && (
        <>
          <span />
          <span />
        </>
      )}
    </div>
  );
}

/** The page for an unknown address or a deleted object. */
export function NotFound() {
  return (
    <Page title="No such page">
      <Empty title="There is nothing at this address" actions={<ButtonLink href="/">To the overview</ButtonLink>}>
        The object may have been deleted, or the address may be misspelt.
      </Empty>
    </Page>
  );
}

/** Shows what was read, a placeholder until then, or the error. */
export function Loaded<D>({
  reading,
  placeholder = <Loading />,
  children,
}: {
  reading: { data: D | undefined; error: CombinedError | undefined; reload(): void };
  placeholder?: ReactNode;
  children: (data: D) => ReactNode;
}) {
  const { data, error, reload } = reading;
  const shown = data && children(data);
  // Also if the object was shown until a moment ago and somebody has deleted it.
  if (!shown && error && problemOf(error).code === 'NOT_FOUND') return <NotFound />;
  return (
    <>
      {error && <Unreadable error={error} retry={reload} />}
      {data ? shown : error ? null : placeholder}
    </>
  );
}
