// What has just been done, said in a corner for a while, and the way back where the trail has one.

import { useEffect, useState } from 'react';
import { createStore } from '../client/store.ts';
import { useStore } from '../client/use-store.ts';
import { Button } from './button.tsx';
import { CloseIcon } from './icons.tsx';
import styles from './toast.module.css';

/** Something that was done. */
interface Toast {
  readonly id: number;
  readonly text: string;
  /** Takes it back. */
  readonly undo?: (() => Promise<void>) | undefined;
}

const toasts = createStore<readonly Toast[]>([]);
const shownMs = 8_000;
let lastId = 0;

/** Says that something was done, and offers to take it back. */
export function say(text: string, undo?: () => Promise<void>): void {
  lastId += 1;
  toasts.set([...toasts.get().slice(-2), { id: lastId, text, undo }]);
}

/** Forgets all: whoever comes next was not there. */
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
    // Whoever points at it or has the focus in it still wants it (WCAG 2.2.1).
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

/** Dialogs keep clear of it (`dialog.module.css`). */
const region = 'toasts';

/** Tells whether somebody is where it is said, to take it back or to be done with it. */
export function areToastsFocused(): boolean {
  return document.getElementById(region)?.contains(document.activeElement) === true;
}

/** The corner where it is said. */
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
