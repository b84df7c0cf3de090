// Lists of objects: each can be searched, narrowed and sorted, leads to a page for every row, and says what it is for while there is
// nothing in it.

import { type ReactNode, useState } from 'react';
import type { Pages } from '../client/data.ts';
import { Button } from './button.tsx';
import type { Creation } from './create.tsx';
import { SelectField } from './fields.tsx';
import styles from './list.module.css';
import { Empty } from './notice.tsx';
import { Page, Panel } from './page.tsx';
import type { Question } from './question.ts';
import { SearchField } from './search-field.tsx';
import { type Column, PagedTable } from './table.tsx';
import { Time } from './time.tsx';
import { sayNumber } from './words.ts';

/** When an object was made and last changed: what lists can be sorted by. */
export const timeColumns: readonly Column<{ readonly createdAt: string; readonly updatedAt: string }>[] = [
  {
    title: 'Created',
    wide: 'very',
    sort: { asc: 'created_at_asc', desc: 'created_at_desc', first: 'desc' },
    cell: ({ createdAt }) => <Time value={createdAt} />,
  },
  {
    title: 'Changed',
    wide: true,
    sort: { asc: 'updated_at_asc', desc: 'updated_at_desc', first: 'desc' },
    cell: ({ updatedAt }) => <Time value={updatedAt} />,
  },
];

/** The same for lists that have more to show, where there is plenty of room alone. */
export const timeColumnsIfRoom: typeof timeColumns = timeColumns.map((column) => ({ ...column, wide: 'very' }));

/** What a list shows. */
interface ListProps<N> {
  /** What it is of, as its title says it. */
  readonly label: string;
  readonly question: Question;
  /** What a search looks into, such as `name, id or host`. */
  readonly searched: string;
  /** Fields that narrow it, beside that of the search. The first choice of each says what it is about. */
  readonly filters?: ReactNode;
  readonly pages: Pages<N>;
  readonly columns: readonly Column<N>[];
  /** The page of an object, where it has one. */
  readonly hrefOf?: (object: N) => string;
  /** What is said while there is nothing: that there is none yet, and what one is good for. Its way on is to make one, if it has no other. */
  readonly empty: { readonly title: string; readonly text?: string; readonly action?: ReactNode };
  /** The button that makes one. */
  readonly make: ReactNode;
  /** Whether the next page is read when somebody comes near the end: see `PagedTable`. */
  readonly endless?: boolean;
}

/** Says why a list that was asked for something shows nothing. */
function sayNothing({ search, filters }: Question, searched: string): string {
  const isFiltered = Object.values(filters).some((value) => value !== '');
  if (search === '') return 'Nothing passes the filters that are set.';
  return `Nothing${isFiltered ? ' that passes the filters' : ''} has “${search}” in its ${searched}.`;
}

/** The orders that the headings give a list, to choose from where some of these are left out. All that lists are sorted by are times. */
const ordersOf = <N,>(columns: readonly Column<N>[]) =>
  columns.flatMap(({ title, sort }) =>
    sort === undefined
      ? []
      : [
          { value: sort.desc, title: `${title}, latest first` },
          { value: sort.asc, title: `${title}, earliest first` },
        ],
  );

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
  // Where there is nothing at all, there is nothing to look for.
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
            // What was typed and is not told yet goes with the field that it was typed into.
            key={cleared}
            autoFocus={cleared > 0}
            label={`Search ${label}`}
            value={question.search}
            onChange={(text) => question.set('search', text)}
            placeholder={`Search by ${searched}`}
          />
          {filters}
          <div className={styles.order}>
            <SelectField
              label="Order"
              value={question.order}
              onChange={(order) => question.set('order', order)}
              options={ordersOf(columns)}
            />
          </div>
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

/** A page that is a list, with the dialog that makes what is in it. */
export function ListPage<N extends { readonly id: string }>({
  title,
  description,
  creation,
  children,
  ...list
}: Omit<ListProps<N>, 'label' | 'make'> & {
  readonly title: string;
  /** One sentence for somebody who has never been here. */
  readonly description: string;
  /** How one is made. */
  readonly creation: Creation;
  /** What stands below the list. */
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
