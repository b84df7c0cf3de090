// Rows of a list that are chosen, so that one move changes all of them.

import { type ReactNode, useRef, useState } from 'react';
import styles from './selection.module.css';

/** Most rows that are chosen at once: as many as one mutation takes. */
export const chosenMax = 100;

/** What the buttons for the rows that are chosen get. */
export interface Chosen<N> {
  readonly chosen: readonly N[];
  /** Chooses none, once something is done with them. */
  readonly clear: () => void;
}

/** What can be done to several rows of a list. */
export interface Bulk<N> {
  /** What a row is called, for screen readers. */
  readonly nameOf: (row: N) => string;
  /** Returns whether a row can be chosen. Without it, each can. */
  readonly isFor?: (row: N) => boolean;
  /** The buttons for the rows that are chosen: best loaded on demand. */
  readonly actions: (rows: Chosen<N>) => ReactNode;
}

/** The rows that are chosen. */
export interface Selection<N> {
  readonly bulk: Bulk<N>;
  readonly chosen: readonly N[];
  /** Whether all rows are chosen that can be, or as many as go. */
  readonly isAll: boolean;
  has(row: N): boolean;
  /** Chooses a row or no longer; with `isRange`, all rows since the one before. */
  toggle(row: N, isRange: boolean): void;
  toggleAll(): void;
  clear(): void;
}

/** Keeps which rows are chosen. A row that the list no longer has is not chosen any more. */
export function useSelection<N>(
  rows: readonly N[],
  keyOf: (row: N) => string,
  bulk: Bulk<N> | undefined,
): Selection<N> | undefined {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const last = useRef<string | null>(null);
  if (bulk === undefined) return undefined;
  const selectable = rows.filter((row) => bulk.isFor?.(row) ?? true);
  const chosen = selectable.filter((row) => keys.has(keyOf(row)));
  const set = (next: readonly N[]) => setKeys(new Set(next.slice(0, chosenMax).map(keyOf)));
  const isAll = chosen.length > 0 && chosen.length === Math.min(selectable.length, chosenMax);
  return {
    bulk,
    chosen,
    isAll,
    has: (row) => keys.has(keyOf(row)),
    toggle(row, isRange) {
      const at = selectable.indexOf(row);
      const before = selectable.findIndex((other) => keyOf(other) === last.current);
      last.current = keyOf(row);
      const isChosen = chosen.includes(row);
      const span = isRange && before >= 0 ? selectable.slice(Math.min(at, before), Math.max(at, before) + 1) : [row];
      const others = chosen.filter((other) => !span.includes(other));
      set(isChosen ? others : [...others, ...span]);
    },
    toggleAll: () => set(isAll ? [] : selectable),
    clear: () => set([]),
  };
}

/** The box of a row, or of the heading. */
export function SelectBox({
  label,
  isChosen,
  toggle,
}: {
  label: string;
  isChosen: boolean;
  toggle: (isRange: boolean) => void;
}) {
  const isRange = useRef(false);
  return (
    <label className={styles.box}>
      <input
        type="checkbox"
        aria-label={label}
        checked={isChosen}
        onClick={(event) => {
          isRange.current = event.shiftKey;
        }}
        onChange={() => toggle(isRange.current)}
      />
    </label>
  );
}
