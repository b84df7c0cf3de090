// Lists as tables. Of a long list, only the visible rows are in the document.

import { type ReactNode, type Ref, useEffect, useRef } from 'react';
import type { Pages } from '../client/pages.ts';
import { Button } from './button.tsx';
import { SortIcon } from './icons.tsx';
import { later } from './later.tsx';
import { Link } from './link.tsx';
import type { ManyRowsProps } from './many-rows.tsx';
import { Loading, Unreadable } from './notice.tsx';
import { type Bulk, SelectBox, type Selection, useSelection } from './selection.tsx';
import styles from './table.module.css';
import { sayNumber } from './words.ts';

/** Two sort orders of a list, by the same value. */
export interface SortOrders {
  /** What the list is sorted by, such as `Created`. */
  readonly by: string;
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
  /** Content of the heading instead of the title. */
  readonly head?: ReactNode;
  readonly cell: (row: N) => ReactNode;
  /** Whether the column is hidden if there is little room; with `very`, unless there is plenty. */
  readonly wide?: boolean | 'very';
  readonly align?: 'end';
  /** What the list can be sorted by in this column, if it can. The heading toggles the orders in use, or the first ones. */
  readonly sorts?: readonly SortOrders[];
  /** Whether the title is only for screen readers, for example above buttons. */
  readonly isTitleHidden?: boolean;
}

interface TableProps<N> {
  /** Accessible name of the table. */
  readonly label: string;
  readonly rows: readonly N[];
  readonly columns: readonly Column<N>[];
  readonly keyOf: (row: N) => string;
  /** Returns the page of a row, to which its first cell links. */
  readonly hrefOf?: (row: N) => string;
  /** Number of rows in the whole list, if there are more than `rows`. */
  readonly totalCount?: number | undefined;
  /** How the list is sorted, if its headings can change the order. */
  readonly sorting?: Sorting;
  /** Whether the rows answer the previous query, not the current one. */
  readonly isFormer?: boolean;
  /** The rows that are chosen, if rows can be. */
  readonly selection?: Selection<N> | undefined;
  /** Is told which rows of a long list are on screen. */
  readonly look?: ManyRowsProps['look'];
}

/** Maximum length of a list that is rendered as a whole, so that the browser's own search finds all of it. */
const wholeMax = 60;

/** All rows of a list. */
function AllRows({ count, draw }: Pick<ManyRowsProps, 'count' | 'draw'>) {
  return Array.from({ length: count }, (_, index) => draw(index, null));
}

/**
 * Renders longer lists. Its code weighs more than the rest of the table and is loaded on demand. Until then, and if it cannot be
 * loaded, all rows are rendered: slower, but complete.
 */
const ManyRows = later(() => import('./many-rows.tsx'), AllRows, AllRows);

const SelectionBar = later(() => import('./selection-bar.tsx'));

const ariaSorts = { asc: 'ascending', desc: 'descending' } as const;

/** The sort button of a heading (https://www.w3.org/WAI/ARIA/apg/patterns/table/examples/sortable-table/). */
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
  const { title, head, isTitleHidden, sorts = [] } = column;
  const order = sorting?.order;
  const used = sorts.find(({ asc, desc }) => order === asc || order === desc);
  const direction = used === undefined ? null : order === used.asc ? 'asc' : 'desc';
  const sort = used ?? sorts[0];
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
  selection,
  look,
}: TableProps<N>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const areMany = rows.length > wholeMax;
  const isLong = (totalCount ?? rows.length) > wholeMax;
  useEffect(() => {
    // As soon as the total is known, so that the code has loaded before more than `wholeMax` rows have to be rendered.
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
        {selection && (
          <td className={styles.select}>
            {(selection.bulk.isFor?.(row) ?? true) && (
              <SelectBox
                label={`Choose ${selection.bulk.nameOf(row)}`}
                isChosen={selection.has(row)}
                toggle={(isRange) => selection.toggle(row, isRange)}
              />
            )}
          </td>
        )}
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
        data-long={areMany || undefined}
      >
        <thead>
          <tr>
            {selection && (
              <th scope="col" className={styles.select}>
                <SelectBox label={`Choose all ${label}`} isChosen={selection.isAll} toggle={selection.toggleAll} />
              </th>
            )}
            {columns.map((column) => (
              <Heading key={column.title} column={column} sorting={sorting} />
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {areMany ? (
            <ManyRows
              count={rows.length}
              columns={columns.length + (selection ? 1 : 0)}
              body={body}
              draw={draw}
              look={look}
            />
          ) : (
            <AllRows count={rows.length} draw={draw} />
          )}
        </tbody>
      </table>
    </div>
  );
}

/**
 * A table that is read page by page, with its loading, empty and error states.
 *
 * @param endless whether the next page is read when the user scrolls near the end: only for a list with nothing below it
 * @param bulk what can be done to several rows at once, if anything
 */
export function PagedTable<N extends object>({
  pages,
  empty,
  endless = false,
  bulk,
  ...table
}: Omit<TableProps<N>, 'rows' | 'totalCount' | 'isFormer' | 'selection' | 'look'> & {
  readonly pages: Pages<N>;
  readonly empty: ReactNode;
  readonly endless?: boolean;
  readonly bulk?: Bulk<NoInfer<N>> | undefined;
}) {
  const { nodes, totalCount, error, hasMore, readingMore, isFormer } = pages;
  const end = useRef<HTMLDivElement>(null);
  const more = useRef(pages.more);
  more.current = pages.more;
  const selection = useSelection(nodes ?? [], table.keyOf, bulk);
  // A new one below other rows, rather than one that moves; unless somebody is at it.
  const bar = useRef(0);
  if (!end.current?.contains(document.activeElement)) bar.current = nodes?.length ?? 0;
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
        <Table
          {...table}
          rows={nodes}
          totalCount={totalCount}
          isFormer={isFormer}
          selection={selection}
          look={pages.look}
        />
      )}
      {selection && selection.chosen.length > 0 && (
        <SelectionBar
          label={table.label}
          chosen={selection.chosen}
          clear={selection.clear}
          actions={selection.bulk.actions(selection)}
        />
      )}
      {nodes !== undefined && hasMore && (
        <div key={bar.current} className={styles.more} ref={end}>
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
