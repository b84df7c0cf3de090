// The way in.

import { type ReactNode, useState } from 'react';
import type { Problem } from '../client/problem.ts';
import { type SessionState, signIn } from '../client/session.ts';
import { Button } from '../kit/button.tsx';
import { TextField } from '../kit/fields.tsx';
import { MarkIcon } from '../kit/icons.tsx';
import { Notice, ProblemNotice } from '../kit/notice.tsx';
import styles from './shell.module.css';

/** Before the way in: what stands there. */
function Gate({ children }: { children: ReactNode }) {
  return (
    <main className={styles.sign}>
      <div className={styles.card}>
        <h1>
          <MarkIcon /> Sallyport
        </h1>
        {children}
      </div>
    </main>
  );
}

/** Says why nobody gets in from here, whatever the key. */
export function Barred({ problem, retry }: { problem: Problem; retry: () => void }) {
  return (
    <Gate>
      <ProblemNotice problem={problem} />
      <Button onPress={retry}>Try again</Button>
    </Gate>
  );
}

/** Asks for an API key. */
export function SignIn({ state }: { state: SessionState }) {
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [running, setRunning] = useState(false);
  return (
    <Gate>
      {state === 'ended' && <Notice tone="caution">Your session has ended. Sign in to go on where you were.</Notice>}
      <form
        onSubmit={async (event) => {
          event.preventDefault();
          if (running) return;
          if (token.trim() === '') return setProblem('Paste an API key.');
          setRunning(true);
          setProblem(await signIn(token));
          setRunning(false);
        }}
      >
        <TextField
          label="API key"
          type="password"
          value={token}
          onChange={setToken}
          error={problem}
          hint="It is exchanged for a session of this browser, and not kept here."
          autoComplete="current-password"
          mono
          autoFocus
        />
        <Button type="submit" look="primary" isPending={running}>
          Sign in
        </Button>
      </form>
      <p className="muted">
        The first start prints a key. Others are made on the page "API keys", or with <code>npm run cli</code>.
      </p>
    </Gate>
  );
}
