// Chooses whose changes the trail shows: an API key, found by its description, or an actor without a key.

import { useState } from 'react';
import { nameOf } from '../../client/kinds.ts';
import { usePages } from '../../client/pages.ts';
import { problemOf } from '../../client/problem.ts';
import { useCan } from '../../client/rights.ts';
import type { ChooserProps } from '../../kit/choice-field.tsx';
import { Finder, remarkOn } from '../../kit/finder.tsx';
import { useSettled } from '../../kit/settled.ts';
import { FindKeysDocument } from './audit-trail.generated.ts';
import { byIdentifier, keyless } from './chooser.ts';

/** Chooses an actor. A deleted key or a host can only be found by its identifier. */
export default function ChooseActor({ choose, close }: ChooserProps) {
  const mayRead = useCan('api-keys:read');
  const [text, setText] = useState('');
  const sought = text.trim();
  const settled = useSettled(sought);
  const { nodes, isFormer, error, reading, hasMore, isSearchedInPart } = usePages(
    FindKeysDocument,
    { search: settled || null, mayRead },
    (data) => data.apiKeys,
    ['ApiKey'],
  );
  const keys = (nodes ?? []).map((key) => ({ id: key.id, title: nameOf(key) }));
  const others = keyless.filter(({ title }) => title.toLowerCase().includes(sought.toLowerCase()));
  const typed = byIdentifier(sought, keys);
  const isSeeking = settled !== sought || isFormer || nodes === undefined;
  const isNothing = !isSeeking && !reading && !error && keys.length + others.length + typed.length === 0;
  return (
    <Finder
      title="Choose who did it"
      label="By"
      placeholder="What a key is called, or an identifier"
      text={text}
      setText={setText}
      sections={[
        { title: 'By its identifier', entries: typed },
        { title: 'API keys', entries: keys },
        { title: 'Without a key', entries: others },
      ]}
      isSeeking={isSeeking}
      problem={error ? problemOf(error) : null}
      remark={remarkOn({
        kind: 'key',
        searched: 'description, metadata or id',
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
