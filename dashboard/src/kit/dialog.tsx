// Dialogs for short tasks, and for confirming what cannot be undone.

import { type ComponentType, type ReactNode, useState } from 'react';
import type { Problem } from '../client/problem.ts';
import { Button } from './button.tsx';
import styles from './dialog.module.css';
import { TextField } from './fields.tsx';
import { type Closable, type Later, laterAbove } from './later.tsx';
import { ProblemNotice } from './notice.tsx';

/** A dialog, open for as long as it is rendered. Its code weighs as much as most pages, so it is loaded when one is opened. */
export const Dialog = laterAbove(() => import('./modal.tsx'));

/** Creates a dialog from a lazily loaded module. The code of `Dialog` is loaded in parallel. */
export function laterDialog<P extends Closable>(load: () => Promise<{ readonly default: ComponentType<P> }>): Later<P> {
  return laterAbove(() => {
    Dialog.load();
    return load();
  });
}

/** The buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>;
}

interface ConfirmProps {
  readonly title: string;
  /** What will happen, and to whom. */
  readonly children: ReactNode;
  /** Label of the button: the action itself, not "OK". */
  readonly action: string;
  /** What the user must type, if a wrong press would do harm: for example the name of what will be lost. */
  readonly typed?: string | undefined;
  /** Whether the dialog already shows what will happen; until then it cannot be confirmed. */
  readonly isReady?: boolean;
  readonly running: boolean;
  readonly problem: Problem | null;
  /** The API call it is about to send. */
  readonly call?: ReactNode;
  readonly wide?: boolean;
  readonly confirm: () => void;
  readonly close: () => void;
}

/** Asks for confirmation before something harmful or irreversible. */
export function Confirm({
  title,
  children,
  action,
  typed,
  isReady = true,
  running,
  problem,
  call,
  wide = false,
  confirm,
  close,
}: ConfirmProps) {
  const [text, setText] = useState('');
  const ready = isReady && (typed === undefined || text.trim() === typed.trim());
  return (
    <Dialog title={title} close={close} wide={wide}>
      <form
        className="stack"
        data-confirms
        onSubmit={(event) => {
          event.preventDefault();
          confirm();
        }}
      >
        <div>{children}</div>
        {typed !== undefined && (
          <TextField label={`Type “${typed}” if you mean it`} value={text} onChange={setText} mono autoFocus />
        )}
        <ProblemNotice problem={problem} />
        <DialogActions>
          <Button onPress={close} autoFocus={typed === undefined}>
            Cancel
          </Button>
          <Button type="submit" look="danger" isDisabled={!ready} isPending={running}>
            {action}
          </Button>
        </DialogActions>
        {call}
      </form>
    </Dialog>
  );
}
