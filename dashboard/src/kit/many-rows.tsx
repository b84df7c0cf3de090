// The rows of a long list: only the visible ones are rendered, with empty space instead of the others.

import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type Ref, type RefObject, useLayoutEffect, useState } from 'react';
import styles from './table.module.css';

const rowPx = 36;

export interface ManyRowsProps {
  readonly count: number;
  readonly columns: number;
  /** The `tbody` that contains the rows. */
  readonly body: RefObject<HTMLTableSectionElement | null>;
  /** Renders a row. `measured` must be attached to it, so that its height is measured. */
  readonly draw: (index: number, measured: Ref<HTMLTableRowElement>) => ReactNode;
}

/** The virtualized rows of a long list. */
export default function ManyRows({ count, columns, body, draw }: ManyRowsProps) {
  const [top, setTop] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the content above may have a different height when the rows change.
  useLayoutEffect(() => {
    if (body.current) setTop(body.current.getBoundingClientRect().top + window.scrollY);
  }, [count, body]);
  const virtualizer = useWindowVirtualizer({ count, estimateSize: () => rowPx, overscan: 15, scrollMargin: top });
  const items = virtualizer.getVirtualItems();
  const first = items[0];
  const last = items[items.length - 1];
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
