// What a page says beside its data: notices, problems, and that there is nothing, or nothing yet.

import { createContext, type ReactNode, useContext } from 'react';
import type { CombinedError } from 'urql';
import { type Problem, problemOf, remedies } from '../client/problem.ts';
import { Button, ButtonLink } from './button.tsx';
import { CheckIcon, InfoIcon, WarningIcon } from './icons.tsx';
import styles from './notice.module.css';
import { Page } from './page.tsx';

/** How much a notice or badge matters. */
export type Tone = 'neutral' | 'good' | 'caution' | 'bad' | 'accent';

/** Whether what is drawn is told by what it stands in (`Answers`): twice would be once too often. */
const IsToldContext = createContext(false);

/** Something to know. */
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
  return (
    <Notice tone="bad" actions={actions}>
      {problem.message} {remedy} <span className={styles.code}>{problem.code}</span>
    </Notice>
  );
}

/** That something could not be read, and a way to try again. */
export function Unreadable({ error, retry }: { error: CombinedError; retry: () => void }) {
  return <ProblemNotice problem={problemOf(error)} actions={<Button onPress={retry}>Try again</Button>} />;
}

/**
 * Where something will stand that people wait for, or have to know. It is there before that is: what comes together with its region is not
 * told by screen readers (https://www.w3.org/TR/WCAG22/#status-messages).
 */
export function Answers({ children }: { children: ReactNode }) {
  return (
    <div className={`stack ${styles.answers}`} aria-live="polite">
      <IsToldContext value={true}>{children}</IsToldContext>
    </div>
  );
}

/** That there is nothing, what would be here, and how it comes here. */
export function Empty({ title, children, actions }: { title: string; children?: ReactNode; actions?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <h2>{title}</h2>
      {children !== undefined && <p>{children}</p>}
      {actions !== undefined && <div className="row">{actions}</div>}
    </div>
  );
}

/** That something is being read. One `line` is as high as a line of a list, so that what is below stays where it is. */
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

/** That there is no such page, or no such object any more. */
export function NotFound() {
  return (
    <Page title="No such page">
      <Empty title="There is nothing at this address" actions={<ButtonLink href="/">To the overview</ButtonLink>}>
        The object may have been deleted, or the address may be misspelt.
      </Empty>
    </Page>
  );
}

/** Shows what was read; until it is there that it is being read, or why it could not be. */
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
  // Also where it was there until a moment ago, and somebody has deleted it.
  if (!shown && error && problemOf(error).code === 'NOT_FOUND') return <NotFound />;
  return (
    <>
      {error && <Unreadable error={error} retry={reload} />}
      {data ? shown : error ? null : placeholder}
    </>
  );
}
