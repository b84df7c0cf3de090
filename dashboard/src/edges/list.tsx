// The list of edges of one protocol.

import { nameOf } from '../client/kinds.ts';
import type { Pages } from '../client/pages.ts';
import { useCreation } from '../kit/create.tsx';
import { Hostports } from '../kit/hostports.tsx';
import { ListPage, timeColumn } from '../kit/list.tsx';
import type { Question } from '../kit/question.ts';
import type { Column } from '../kit/table.tsx';
import { NewEdge, type NewEdgeProps } from './new.tsx';

/** An edge as the list shows it. */
interface ListedEdge {
  readonly id: string;
  readonly description: string;
  readonly hostports: readonly string[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

interface EdgeListProps<E, D> {
  readonly title: string;
  readonly description: string;
  /** Their name in page paths and scopes, such as `tls-edges`. */
  readonly path: string;
  readonly question: Question;
  readonly pages: Pages<E>;
  /** Columns between the hosts and the times. */
  readonly columns: readonly Column<E>[];
  readonly empty: { readonly title: string; readonly text: string };
  /** How a new edge is created. */
  readonly making: Omit<NewEdgeProps<D>, 'close'>;
}

/** The page that lists the edges of one protocol. */
export function EdgeList<E extends ListedEdge, D>({ path, columns, making, question, ...list }: EdgeListProps<E, D>) {
  const creation = useCreation(`${path}:write`, 'New edge', (close) => <NewEdge {...making} close={close} />);
  return (
    <ListPage
      {...list}
      question={question}
      creation={creation}
      searched="description, metadata, id or host"
      hrefOf={({ id }) => `/${path}/${id}`}
      columns={[
        { title: 'Edge', cell: (edge) => nameOf(edge) },
        { title: 'Hosts', wide: true, cell: (edge) => <Hostports of={edge} /> },
        ...columns,
        timeColumn(question),
      ]}
    />
  );
}
