// Chooses the backend of an edge, found by its description, labels or identifier.

import { useState } from 'react';
import { nameOf } from '../client/kinds.ts';
import { usePages } from '../client/pages.ts';
import { problemOf } from '../client/problem.ts';
import type { ChooserProps } from '../kit/choice-field.tsx';
import { Finder, remarkOn } from '../kit/finder.tsx';
import { useSettled } from '../kit/settled.ts';
import { FindBackendsDocument } from './backend-choice.generated.ts';

/** Chooses a backend. */
export default function ChooseBackend({ choose, close }: ChooserProps) {
  const [text, setText] = useState('');
  const sought = text.trim();
  const settled = useSettled(sought);
  const { nodes, isFormer, error, reading, hasMore, isSearchedInPart } = usePages(
    FindBackendsDocument,
    { search: settled || null },
    (data) => data.tunnelGroupBackends,
    ['TunnelGroupBackend'],
  );
  const backends = (nodes ?? []).map((backend) => ({ id: backend.id, title: nameOf(backend) }));
  const isSeeking = settled !== sought || isFormer || nodes === undefined;
  const isNothing = !isSeeking && !reading && !error && backends.length === 0;
  return (
    <Finder
      title="Choose a backend"
      label="Backend"
      placeholder="What a backend is called, a label or an identifier"
      text={text}
      setText={setText}
      sections={[{ title: 'Backends', entries: backends }]}
      isSeeking={isSeeking}
      problem={error ? problemOf(error) : null}
      remark={remarkOn({
        kind: 'backend',
        searched: 'description, metadata, id or label',
        sought,
        isNothing,
        hasMore,
        isSearchedInPart,
      })}
      choose={choose}
      close={close}
    />
  );
}
