// Lists as tables. Only the rows that can be seen are in the document, however many there are.

import { type ReactNode, type Ref, useEffect, useRef } from 'react';
import type { Pages } from '../client/data.ts';
import { Button } from './button.tsx';
import { SortIcon } from './icons.tsx';
import { later } from './later.tsx';
import { Link } from './link.tsx';
import type { ManyRowsProps } from './many-rows.tsx';
import { Loading, Unreadable } from './notice.tsx';
import styles from './table.module.css';
import { sayNumber } from './words.ts';

/** The two orders that a heading gives a list, one after the other. */
interface SortOrders {
  readonly asc: string;
  readonly desc: string;
  /** Which of them comes first. */
  readonly first: 'asc' | 'desc';
}

/** How a list is sorted. */
interface Sorting {
  readonly order: string;
  set(order: string): void;
}

/** A column of a table. */
export interface Column<N> {
  readonly title: string;
  /** What stands at its head instead of the title. */
  readonly head?: ReactNode;
  readonly cell: (row: N) => ReactNode;
  /** Whether it is left out where there is little room, or wherever there is not plenty. */
  readonly wide?: boolean | 'very';
  readonly align?: 'end';
  /** The orders that its heading gives the list, where that can be sorted by it. */
  readonly sort?: SortOrders;
  /** Whether its title is for those alone who cannot see what is in it, such as buttons. */
  readonly isTitleHidden?: boolean;
}

/** What a table shows. */
interface TableProps<N> {
  /** What the list is of, for those who cannot see it. */
  readonly label: string;
  readonly rows: readonly N[];
  readonly columns: readonly Column<N>[];
  readonly keyOf: (row: N) => string;
  /** The page of a row: its first cell leads there. */
  readonly hrefOf?: (row: N) => string;
  /** Rows in the whole list, where there are more than these. */
  readonly totalCount?: number | undefined;
  /** How the list is sorted, where its headings can change that. */
  readonly sorting?: Sorting;
  /** Whether the rows answer a question before the one that is being asked. */
  readonly isFormer?: boolean;
}

/** Lists up to this long are in the document whole, which the browser's own search finds. */
const wholeMax = 60;

/** All rows of a list. */
function AllRows({ count, draw }: Pick<ManyRowsProps, 'count' | 'draw'>) {
  return Array.from({ length: count }, (_, index) => draw(index, null));
}

/**
 * What draws longer lists weighs more than the rest of the table, and is loaded for one. Until it is there, and where it cannot be had, all
 * rows are drawn: that takes longer, and nothing is missing.
 */
const ManyRows = later(() => import('./many-rows.tsx'), AllRows, AllRows);

const ariaSorts = { asc: 'ascending', desc: 'descending' } as const;

/** The button in a heading by which the list can be sorted (https://www.w3.org/WAI/ARIA/apg/patterns/table/examples/sortable-table/). */
function SortButton({
  title,
  sort,
  direction,
  sorting,
}: {
  title: string;
  sort: SortOrders;
  direction: 'asc' | 'desc' | null;
  sorting: Sorting;
}) {
  const next = direction === null ? sort.first : direction === 'asc' ? 'desc' : 'asc';
  return (
    <button type="button" className={styles.sort} onClick={() => sorting.set(sort[next])}>
      {title}
      <SortIcon direction={direction} />
    </button>
  );
}

const classOf = ({ wide, align }: Pick<Column<never>, 'wide' | 'align'>) =>
  [wide === 'very' ? styles.veryWide : wide ? styles.wide : '', align ? styles.end : ''].join(' ');

/** The heading of a column. */
function Heading<N>({ column, sorting }: { column: Column<N>; sorting: Sorting | undefined }) {
  const { title, head, isTitleHidden, sort } = column;
  const order = sorting?.order;
  const direction = order === undefined ? null : order === sort?.asc ? 'asc' : order === sort?.desc ? 'desc' : null;
  const shown = isTitleHidden ? <span className="hidden">{title}</span> : title;
  return (
    <th scope="col" aria-sort={direction === null ? undefined : ariaSorts[direction]} className={classOf(column)}>
      {sort && sorting ? (
        <SortButton title={title} sort={sort} direction={direction} sorting={sorting} />
      ) : (
        (head ?? shown)
      )}
    </th>
  );
}

/** A table. */
export function Table<N>({
  label,
  rows,
  columns,
  keyOf,
  hrefOf,
  totalCount,
  sorting,
  isFormer = false,
}: TableProps<N>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const isLong = (totalCount ?? rows.length) > wholeMax;
  useEffect(() => {
    // Before its rows are that many, which would otherwise go while it is loaded.
    if (isLong) ManyRows.load();
  }, [isLong]);
  const draw = (index: number, measured: Ref<HTMLTableRowElement>) => {
    const row = rows[index];
    if (row === undefined) return null;
    return (
      <tr
        key={keyOf(row)}
        ref={measured}
        data-index={index}
        aria-rowindex={index + 2}
        className={hrefOf && styles.linked}
      >
        {columns.map((column, at) => (
          <td key={column.title} className={classOf(column)}>
            {at === 0 && hrefOf ? (
              <Link className={styles.link} href={hrefOf(row)}>
                {column.cell(row)}
              </Link>
            ) : (
              column.cell(row)
            )}
          </td>
        ))}
      </tr>
    );
  };
  return (
    <div className={styles.scroll}>
      <table
        className={styles.table}
        aria-label={label}
        aria-rowcount={(totalCount ?? rows.length) + 1}
        aria-busy={isFormer}
      >
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading key={column.title} column={column} sorting={sorting} />
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.length > wholeMax ? (
            <ManyRows count={rows.length} columns={columns.length} body={body} draw={draw} />
          ) : (
            <AllRows count={rows.length} draw={draw} />
          )}
        </tbody>
      </table>
    </div>
  );
}

/**
 * A list that is read page by page, with what is shown where there is nothing.
 *
 * @param endless whether the next page is read as soon as somebody comes near the end of what is there: only for a list with nothing below it
 */
export function PagedTable<N>({
  pages,
  empty,
  endless = false,
  ...table
}: Omit<TableProps<N>, 'rows' | 'totalCount' | 'isFormer'> & {
  readonly pages: Pages<N>;
  readonly empty: ReactNode;
  readonly endless?: boolean;
}) {
  const { nodes, totalCount, error, hasMore, readingMore, isFormer } = pages;
  const end = useRef<HTMLDivElement>(null);
  const more = useRef(pages.more);
  more.current = pages.more;
  const isNear = endless && hasMore && !readingMore && !error;
  useEffect(() => {
    if (!isNear || end.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) more.current();
      },
      { rootMargin: '600px' },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [isNear]);
  return (
    <>
      {error && <Unreadable error={error} retry={pages.reload} />}
      {nodes === undefined ? (
        !error && <Loading />
      ) : nodes.length === 0 ? (
        empty
      ) : (
        <Table {...table} rows={nodes} totalCount={totalCount} isFormer={isFormer} />
      )}
      {nodes !== undefined && hasMore && (
        <div className={styles.more} ref={end}>
          <span>
            {sayNumber(nodes.length)}
            {totalCount !== undefined && ` of ${sayNumber(totalCount)}`}
          </span>
          <Button onPress={pages.more} isPending={readingMore}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}
