// Lists of objects that can be searched, filtered and sorted. Each row links to a page, and an empty list says what it is for.

import { type ReactNode, useState } from 'react';
import type { Pages } from '../client/pages.ts';
import { Button } from './button.tsx';
import type { Creation } from './create.tsx';
import { Export } from './export.tsx';
import { Filter } from './filter.tsx';
import styles from './list.module.css';
import { Empty } from './notice.tsx';
import { Page, Panel } from './page.tsx';
import type { Question } from './question.ts';
import { SearchField } from './search-field.tsx';
import type { Bulk } from './selection.tsx';
import { type Column, PagedTable } from './table.tsx';
import { Time } from './time.tsx';
import { sayNumber } from './words.ts';

const byCreation = { by: 'Created', asc: 'created_at_asc', desc: 'created_at_desc', first: 'desc' } as const;
const byChange = { by: 'Changed', asc: 'updated_at_asc', desc: 'updated_at_desc', first: 'desc' } as const;

/**
 * The column for the time at which an object was created; or last changed, while the list is sorted by that.
 *
 * @param wide as of any column
 */
export function timeColumn(
  { order }: Question,
  wide: boolean | 'very' = true,
): Column<{ readonly createdAt: string; readonly updatedAt: string }> {
  const isOfChange = order === byChange.asc || order === byChange.desc;
  return {
    title: isOfChange ? byChange.by : byCreation.by,
    wide,
    sorts: [byCreation, byChange],
    cell: ({ createdAt, updatedAt }) => <Time value={isOfChange ? updatedAt : createdAt} />,
  };
}

interface ListProps<N> {
  /** The title of the list. */
  readonly label: string;
  readonly question: Question;
  /** The fields that are searched, such as `name, id or host`. */
  readonly searched: string;
  /** Filters, next to the search field. */
  readonly filters?: ReactNode;
  readonly pages: Pages<N>;
  readonly columns: readonly Column<N>[];
  /** Returns the page of an object, if objects have pages. */
  readonly hrefOf?: (object: N) => string;
  /** Shown for an empty list: that there are no objects yet, and what they are good for. Without an `action`, offers `make`. */
  readonly empty: { readonly title: string; readonly text: string; readonly action?: ReactNode };
  /** The button that creates an object. */
  readonly make: ReactNode;
  /** Whether the next page is read when the user scrolls near the end: see `PagedTable`. */
  readonly endless?: boolean;
  /** What can be done to several objects at once, if anything. */
  readonly bulk?: Bulk<NoInfer<N>> | undefined;
}

/** Says why a searched or filtered list is empty. */
function sayNothing({ search, filters }: Question, searched: string): string {
  const isFiltered = Object.values(filters).some((value) => value !== '');
  if (search === '') return 'Nothing passes the filters that are set.';
  return `Nothing${isFiltered ? ' that passes the filters' : ''} has “${search}” in its ${searched}.`;
}

/** The sort orders of all columns as options. Lists are sorted only by times. */
const ordersOf = <N,>(columns: readonly Column<N>[]) =>
  columns
    .flatMap(({ sorts = [] }) => sorts)
    .flatMap(({ by, asc, desc, first }) => {
      const options = [
        { value: desc, title: `${by}, latest first` },
        { value: asc, title: `${by}, earliest first` },
      ];
      return first === 'desc' ? options : options.reverse();
    });

/** A list of objects. */
export function List<N extends { readonly id: string }>({
  question,
  searched,
  filters,
  empty,
  make,
  ...table
}: ListProps<N>) {
  const [cleared, setCleared] = useState(0);
  const { pages, label, columns } = table;
  const isNarrowed = [question.search, ...Object.values(question.filters)].some((value) => value !== '');
  // An entirely empty list has nothing to search.
  const isNone = pages.nodes?.length === 0 && !isNarrowed;
  const clear = () => {
    question.clear();
    setCleared(cleared + 1);
  };
  return (
    <>
      {!isNone && (
        <search className={styles.tools} aria-label={`Search in ${label}`}>
          <SearchField
            // Clearing remounts the field, so that text it has not yet reported is dropped.
            key={cleared}
            autoFocus={cleared > 0}
            label={`Search ${label}`}
            value={question.search}
            onChange={(text) => question.set('search', text)}
            placeholder={`Search by ${searched}`}
          />
          {filters}
          <Filter
            label="Order"
            value={question.order}
            onChange={(order) => question.set('order', order)}
            options={ordersOf(columns)}
          />
          <Export label={label} of={pages} />
        </search>
      )}
      <PagedTable
        {...table}
        sorting={{ order: question.order, set: (order) => question.set('order', order) }}
        keyOf={({ id }) => id}
        empty={
          isNarrowed ? (
            <Empty title="Nothing found" actions={<Button onPress={clear}>Show all</Button>}>
              {sayNothing(question, searched)}
            </Empty>
          ) : (
            <Empty title={empty.title} actions={empty.action ?? make}>
              {empty.text}
            </Empty>
          )
        }
      />
      {pages.isSearchedInPart && (
        <p className={`muted ${styles.part}`}>The oldest were not searched. Filters narrow what is looked through.</p>
      )}
      <p className="hidden" role="status">
        {isNarrowed && pages.totalCount !== undefined && !pages.isFormer && `${sayNumber(pages.totalCount)} found`}
      </p>
    </>
  );
}

/** A page that consists of a list, with the dialog that creates its objects. */
export function ListPage<N extends { readonly id: string }>({
  title,
  description,
  creation,
  children,
  ...list
}: Omit<ListProps<N>, 'label' | 'make'> & {
  readonly title: string;
  /** One sentence for first-time visitors. */
  readonly description: string;
  /** The button and dialog that create an object. */
  readonly creation: Creation;
  /** Content below the list. */
  readonly children?: ReactNode;
}) {
  return (
    <Page title={title} description={description} actions={creation.button}>
      <Panel title={title} flush bare>
        <List label={title} make={creation.button} {...list} />
      </Panel>
      {children}
      {creation.dialog}
    </Page>
  );
}
