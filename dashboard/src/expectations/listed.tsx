// A list of the expectations that an object decides about.

import type { Pages } from '../client/pages.ts';
import { ButtonLink } from '../kit/button.tsx';
import { Export } from '../kit/export.tsx';
import { Empty } from '../kit/notice.tsx';
import { Panel } from '../kit/page.tsx';
import { PagedTable } from '../kit/table.tsx';
import { expectationColumns, type Stated } from './columns.tsx';

export default function ListedExpectations({ pages }: { pages: Pages<Stated> }) {
  return (
    <Panel
      title="Expectations"
      description="What it is held to: a change that would break one of these is refused unless it is forced."
      flush
      actions={
        <>
          <Export label="Expectations" of={pages} />
          <ButtonLink href="/expectations">All expectations</ButtonLink>
        </>
      }
    >
      <PagedTable
        label="Expectations"
        pages={pages}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `/expectations/${id}`}
        columns={expectationColumns}
        empty={
          <Empty title="Nothing is expected">
            An expectation says who must get in here, or must not: changes that would break it are refused.
          </Empty>
        }
      />
    </Panel>
  );
}
