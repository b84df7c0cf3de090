// Toasts: messages in a corner that say for a while what has just been done, with "Undo" if the audit trail can restore it.

import { useEffect, useState } from 'react';
import { createStore } from '../client/store.ts';
import { useStore } from '../client/use-store.ts';
import { Button } from './button.tsx';
import { CloseIcon } from './icons.tsx';
import styles from './toast.module.css';

/** A message about something that was done. */
interface Toast {
  readonly id: number;
  readonly text: string;
  /** Reverts what was done. */
  readonly undo?: (() => Promise<void>) | undefined;
}

const toasts = createStore<readonly Toast[]>([]);
const shownMs = 8_000;
let lastId = 0;

/** Shows a toast, with "Undo" if `undo` is given. Drops all but the latest three. */
export function say(text: string, undo?: () => Promise<void>): void {
  lastId += 1;
  toasts.set([...toasts.get().slice(-2), { id: lastId, text, undo }]);
}

/** Removes all toasts, so that the next user does not see them. */
export function forgetToasts(): void {
  toasts.set([]);
}

function dismiss(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id));
}

function ToastLine({ toast }: { toast: Toast }) {
  const [held, setHeld] = useState(false);
  const [undoing, setUndoing] = useState(false);
  useEffect(() => {
    // Stays while the user points at it or has the focus in it (WCAG 2.2, 2.2.1).
    if (held || undoing) return;
    const timer = setTimeout(() => dismiss(toast.id), shownMs);
    return () => clearTimeout(timer);
  }, [held, undoing, toast.id]);
  const { undo } = toast;
  return (
    <li
      className={styles.toast}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span>{toast.text}</span>
      {undo !== undefined && (
        <Button
          isPending={undoing}
          onPress={() => {
            setUndoing(true);
            void undo().finally(() => dismiss(toast.id));
          }}
        >
          Undo
        </Button>
      )}
      <Button look="icon" label="Dismiss" onPress={() => dismiss(toast.id)}>
        <CloseIcon />
      </Button>
    </li>
  );
}

/** The id of the region. Dialogs keep clear of it (`dialog.module.css`). */
const region = 'toasts';

/** Returns whether the focus is in the toasts, for example because the user is about to undo something. */
export function areToastsFocused(): boolean {
  return document.getElementById(region)?.contains(document.activeElement) === true;
}

/** The region in the corner that shows the toasts. */
export function Toasts() {
  const all = useStore(toasts);
  return (
    <section id={region} className={styles.region} aria-label="What was done" aria-live="polite">
      <ul className="stack">
        {all.map((toast) => (
          <ToastLine key={toast.id} toast={toast} />
        ))}
      </ul>
    </section>
  );
}
