// Dialogs: for what is done and over, and to confirm what cannot be undone.

import { type ComponentType, type ReactNode, useState } from 'react';
import type { Problem } from '../client/problem.ts';
import { Button } from './button.tsx';
import styles from './dialog.module.css';
import { TextField } from './fields.tsx';
import { type Closable, type Later, laterAbove } from './later.tsx';
import { ProblemNotice } from './notice.tsx';

/** A dialog, which is open as long as it is drawn. What it is made of weighs as much as most pages, and is loaded when one is opened. */
export const Dialog = laterAbove(() => import('./modal.tsx'));

/** Makes a dialog of a module that is loaded later, together with what it is made of. */
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

/** What is asked before something that cannot be undone, or that would hurt. */
interface ConfirmProps {
  readonly title: string;
  /** What will happen, and to whom. */
  readonly children: ReactNode;
  /** What the button says: the deed, not "OK". */
  readonly action: string;
  /** What to type where a wrong press would hurt, such as the name of what is lost. */
  readonly typed?: string | undefined;
  /** Whether it is known by now what will happen. */
  readonly isReady?: boolean;
  readonly running: boolean;
  readonly problem: Problem | null;
  /** The call that it is about to send. */
  readonly call?: ReactNode;
  readonly wide?: boolean;
  readonly confirm: () => void;
  readonly close: () => void;
}

/** Asks before something that cannot be undone, or that would hurt. */
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
          if (ready && !running) confirm();
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
