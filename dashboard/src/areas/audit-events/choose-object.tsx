// Chooses the object whose events the trail shows, among objects of all kinds.

import { useState } from 'react';
import { nameOf, titleOf } from '../../client/kinds.ts';
import { useHits } from '../../client/search.ts';
import type { ChooserProps } from '../../kit/choice-field.tsx';
import { Finder } from '../../kit/finder.tsx';
import { byIdentifier } from './chooser.ts';

/** Chooses an object. A deleted one can only be found by its identifier. */
export default function ChooseObject({ choose, close }: ChooserProps) {
  const [text, setText] = useState('');
  const sought = text.trim();
  const { hits, isSeeking, problem } = useHits(sought);
  const objects = hits.map(({ node }) => ({
    id: node.id,
    title: node.__typename === 'IpPolicyRule' ? node.cidr : nameOf(node),
    note: titleOf(node.__typename),
  }));
  const typed = isSeeking ? [] : byIdentifier(sought, objects);
  const isNothing = sought !== '' && !isSeeking && problem === null && objects.length + typed.length === 0;
  return (
    <Finder
      title="Choose an object"
      label="Object"
      placeholder="Name, id, address or fingerprint"
      text={text}
      setText={setText}
      sections={[
        { title: 'Objects', entries: objects },
        { title: 'By its identifier', entries: typed },
      ]}
      isSeeking={isSeeking}
      problem={problem}
      remark={
        sought === ''
          ? 'What was deleted is found by its identifier.'
          : isNothing
            ? `Nothing has “${sought}” in its name, id, address or fingerprint.`
            : null
      }
      choose={choose}
      close={close}
    />
  );
}
