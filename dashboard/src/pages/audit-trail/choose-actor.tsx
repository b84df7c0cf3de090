// Chooses whose changes the trail shows: an API key, found by its description, or an actor without a key.

import { useState } from 'react';
import { usePages } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import { problemOf } from '../../client/problem.ts';
import { useCan } from '../../client/rights.ts';
import { Finder } from '../../kit/finder.tsx';
import { useSettled } from '../../kit/settled.ts';
import { FindKeysDocument } from './audit-trail.generated.ts';
import { byIdentifier, type ChooserProps, keyless } from './chooser.ts';

/** Returns a remark on the results: that there are none, or that there may be more; null for no remark. */
function remarkOn({
  sought,
  isNothing,
  hasMore,
  isSearchedInPart,
}: {
  sought: string;
  isNothing: boolean;
  hasMore: boolean;
  isSearchedInPart: boolean;
}): string | null {
  if (hasMore) return 'There are more keys. Type more to narrow them.';
  if (isSearchedInPart) return 'The oldest keys were not searched. They are found by their identifiers.';
  return isNothing ? `No key has “${sought}” in its description, metadata or id.` : null;
}

/** Chooses an actor. A deleted key or a host can only be found by its identifier. */
export default function ChooseActor({ choose, close }: ChooserProps) {
  const mayRead = useCan('api-keys:read');
  const [text, setText] = useState('');
  const sought = text.trim();
  const settled = useSettled(sought);
  const { nodes, error, reading, hasMore, isSearchedInPart } = usePages(
    FindKeysDocument,
    { search: settled || null, mayRead },
    (data) => data.apiKeys,
    ['ApiKey'],
  );
  const keys = (nodes ?? []).map((key) => ({ id: key.id, title: nameOf(key) }));
  const others = keyless.filter(({ title }) => title.toLowerCase().includes(sought.toLowerCase()));
  const typed = byIdentifier(sought, keys);
  const isSeeking = reading || settled !== sought;
  const isNothing = !isSeeking && !error && keys.length + others.length + typed.length === 0;
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
      remark={remarkOn({ sought, isNothing, hasMore, isSearchedInPart })}
      choose={choose}
      close={close}
    />
  );
}
