// The rows of a long list: only the visible ones are rendered, with empty space instead of the others. All are equally high and the
// columns keep their widths, so that nothing moves, wherever somebody scrolls to.

import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type Ref, type RefObject, useEffect, useLayoutEffect, useState } from 'react';
import type { View } from '../client/parts.ts';
import styles from './table.module.css';

export interface ManyRowsProps {
  readonly count: number;
  readonly columns: number;
  /** The `tbody` that contains the rows. */
  readonly body: RefObject<HTMLTableSectionElement | null>;
  /** Renders a row. `measured` must be attached to it, so that its height is measured. */
  readonly draw: (index: number, measured: Ref<HTMLTableRowElement>) => ReactNode;
  /** Is told which rows are on screen; null once all are. */
  readonly look: ((view: View | null) => void) | undefined;
}

/** Shares room among columns: if they ask for more than there is, the widest get less, all of them equally much. */
function shared(asked: readonly number[], room: number): readonly number[] {
  let [left, columns] = [room, asked.length];
  for (const width of asked.toSorted((one, other) => one - other)) {
    if (width * columns > left) break;
    left -= width;
    columns -= 1;
  }
  return asked.map((width) => (columns === 0 ? width : Math.min(width, left / columns)));
}

/**
 * Gives the columns of a table the widths that their contents ask for now, as far as there is room, whatever rows come into it.
 * Returns the height of a row.
 */
function settle(table: HTMLTableElement, roomPx: number): number {
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  for (const head of heads) head.style.width = '';
  table.style.tableLayout = 'auto';
  const widths = shared(
    heads.map((head) => Math.ceil(head.getBoundingClientRect().width)),
    roomPx,
  );
  table.style.tableLayout = 'fixed';
  for (const [at, head] of heads.entries()) head.style.width = `${(100 * (widths[at] ?? 0)) / roomPx}%`;
  return table.querySelector('tr[data-index]')?.getBoundingClientRect().height ?? 0;
}

/** The height of a row until one has been drawn, in pixels. */
const usualPx = 36;

/** The virtualized rows of a long list. */
export default function ManyRows({ count, columns, body, draw, look }: ManyRowsProps) {
  const [top, setTop] = useState(0);
  const [rowPx, setRowPx] = useState(usualPx);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the content above may have a different height when the rows change.
  useLayoutEffect(() => {
    if (body.current) setTop(body.current.getBoundingClientRect().top + window.scrollY);
  }, [count, body]);
  const virtualizer = useWindowVirtualizer({ count, estimateSize: () => rowPx, overscan: 15, scrollMargin: top });
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was measured before had another height.
  useLayoutEffect(() => virtualizer.measure(), [rowPx]);
  const items = virtualizer.getVirtualItems();
  const isDrawn = items.length > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: other columns have other widths.
  useLayoutEffect(() => {
    const table = body.current?.closest('table');
    const box = table?.parentElement;
    if (!table || !box || !isDrawn) return;
    let width = 0;
    const observer = new ResizeObserver(() => {
      if (box.clientWidth === width) return;
      width = box.clientWidth;
      setRowPx(settle(table, width) || usualPx);
    });
    observer.observe(box);
    width = box.clientWidth;
    setRowPx(settle(table, width) || usualPx);
    return () => {
      observer.disconnect();
      table.style.tableLayout = '';
      for (const head of table.tHead?.rows[0]?.cells ?? []) head.style.width = '';
    };
  }, [columns, body, isDrawn]);
  const first = items[0];
  const last = items[items.length - 1];
  const [from, to] = [first?.index ?? 0, last?.index ?? 0];
  useEffect(() => look?.({ first: from, last: to }), [look, from, to]);
  useEffect(() => () => look?.(null), [look]);
  const space = (height: number) =>
    height > 0 && (
      <tr className={styles.space}>
        <td colSpan={columns} style={{ height }} />
      </tr>
    );
  return (
    <>
      {space(first === undefined ? 0 : first.start - top)}
      {items.map(({ index }) => draw(index, virtualizer.measureElement))}
      {space(last === undefined ? 0 : virtualizer.getTotalSize() - (last.end - top))}
    </>
  );
}
