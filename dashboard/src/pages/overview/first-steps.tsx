// The panel with what to do first in a new account.

import { useEffect, useState } from 'react';
import { useData } from '../../client/data.ts';
import { useViewer } from '../../client/rights.ts';
import { Button, ButtonLink } from '../../kit/button.tsx';
import { Panel } from '../../kit/page.tsx';
import { FirstStepsDocument } from './first-steps.generated.ts';
import styles from './first-steps.module.css';
import { askedSteps, isPastFirstSteps, passFirstSteps, type Step, steps } from './steps.ts';

/** The first steps that are left. */
export interface FirstSteps {
  /** Undefined until they are known. */
  readonly left: readonly Step[] | undefined;
  /** Takes them away for good. */
  dismiss(): void;
}

/** Reads which first steps are left. Once there are none, nothing is read any more. */
export function useFirstSteps(): FirstSteps {
  const { account, scopes } = useViewer();
  const [isPast, setPast] = useState(() => isPastFirstSteps(account.id));
  const kinds = ['IpRestriction', 'SshHostCertificate', 'HttpsEdge', 'HttpsEdgeRoute'];
  const { data, error } = useData(FirstStepsDocument, askedSteps(scopes), kinds, isPast);
  const left = isPast || (error && !data) ? [] : data && steps.filter(({ isDone }) => !isDone(data));
  const isDone = data !== undefined && left?.length === 0;
  const dismiss = () => {
    passFirstSteps(account.id);
    setPast(true);
  };
  useEffect(() => {
    if (isDone) passFirstSteps(account.id);
  }, [isDone, account.id]);
  return { left, dismiss };
}

/** What to do first; empty once all of it is done. */
export function FirstStepsPanel({ left, dismiss }: { left: readonly Step[]; dismiss: () => void }) {
  if (left.length === 0) return null;
  return (
    <Panel title="First steps" flush actions={<Button onPress={dismiss}>Hide</Button>}>
      <ol className={styles.steps}>
        {left.map(({ title, gives, action, href }) => (
          <li key={title} className={styles.step}>
            <div>
              <h3>{title}</h3>
              <p className="muted">{gives}</p>
            </div>
            <ButtonLink href={href}>{action}</ButtonLink>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
