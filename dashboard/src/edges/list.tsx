// The list of the edges of a protocol.

import type { Pages } from '../client/data.ts';
import { nameOf } from '../client/kinds.ts';
import { useCreation } from '../kit/create.tsx';
import { Hostports } from '../kit/hostports.tsx';
import { ListPage, timeColumns } from '../kit/list.tsx';
import type { Question } from '../kit/question.ts';
import type { Column } from '../kit/table.tsx';
import { NewEdge, type NewEdgeProps } from './new.tsx';

/** An edge as its list shows it. */
interface ListedEdge {
  readonly id: string;
  readonly description: string;
  readonly hostports: readonly string[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** What a list of edges shows. */
interface EdgeListProps<E, D> {
  /** What they are called. */
  readonly title: string;
  readonly description: string;
  /** Where they are, as in their addresses and scopes, such as `tls-edges`. */
  readonly place: string;
  readonly question: Question;
  readonly pages: Pages<E>;
  /** What stands between the hosts of an edge and its times. */
  readonly columns: readonly Column<E>[];
  readonly empty: { readonly title: string; readonly text: string };
  /** How another one is made. */
  readonly making: Omit<NewEdgeProps<D>, 'close'>;
}

/** The page with the edges of a protocol. */
export function EdgeList<E extends ListedEdge, D>({ place, columns, making, ...list }: EdgeListProps<E, D>) {
  const creation = useCreation(`${place}:write`, 'New edge', (close) => <NewEdge {...making} close={close} />);
  return (
    <ListPage
      {...list}
      creation={creation}
      searched="description, metadata, id or host"
      hrefOf={({ id }) => `/${place}/${id}`}
      columns={[
        { title: 'Edge', cell: (edge) => nameOf(edge) },
        { title: 'Hosts', wide: true, cell: (edge) => <Hostports of={edge} /> },
        ...columns,
        ...timeColumns,
      ]}
    />
  );
}
