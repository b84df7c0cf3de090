// The expectations that an object decides about, with whether they are met.

import { usePages } from '../client/pages.ts';
import { useCan } from '../client/rights.ts';
import { later } from '../kit/later.tsx';
import { Loading } from '../kit/notice.tsx';
import { DecidedExpectationsDocument } from './decided.generated.ts';
import { decidingKinds } from './words.ts';

const Listed = later(
  () => import('./listed.tsx'),
  () => <Loading />,
);

/**
 * The expectations about an object, below all else on its page, so that nothing moves. Nothing if there are none, or if the key may not
 * read them.
 */
export function Expectations({ id }: { id: string }) {
  return useCan('expectations:read') ? <Decided id={id} /> : null;
}

/** Returns the tab with the expectations about an object; none if the key may not read them. */
export function useExpectationsTab(id: string) {
  const tab = { id: 'expectations', title: 'Expectations', children: <Decided id={id} evenIfNone /> };
  return useCan('expectations:read') ? [tab] : [];
}

function Decided({ id, evenIfNone = false }: { id: string; evenIfNone?: boolean }) {
  const pages = usePages(
    DecidedExpectationsDocument,
    { id },
    ({ node }) => (node && 'expectations' in node ? node.expectations : null),
    decidingKinds,
  );
  const isNone = pages.nodes === undefined || pages.nodes.length === 0;
  return isNone && !evenIfNone ? null : <Listed pages={pages} />;
}
