// Chooses what an expectation asks: an edge or a certificate authority, found by what it is called.

import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { useState } from 'react';
import { nameOf } from '../../client/kinds.ts';
import { usePages } from '../../client/pages.ts';
import { problemOf } from '../../client/problem.ts';
import type { ChooserProps } from '../../kit/choice-field.tsx';
import { Finder, remarkOn } from '../../kit/finder.tsx';
import { useSettled } from '../../kit/settled.ts';
import {
  FindHttpsEdgesDocument,
  FindSshAuthoritiesDocument,
  FindTlsEdgesDocument,
  type FindTlsEdgesQueryVariables,
} from './choices.generated.ts';

interface Found {
  readonly found?: {
    readonly nodes: readonly {
      readonly id: string;
      readonly description: string;
      readonly hostports?: readonly string[];
    }[];
    readonly searchedInPart: boolean;
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  } | null;
}

/** Objects of one kind, in a document that calls their list `found`. */
interface Choices {
  readonly document: TypedDocumentNode<Found, FindTlsEdgesQueryVariables>;
  readonly type: string;
  readonly noun: string;
  readonly plural: string;
  readonly searched: string;
}

/** Chooses one of them. */
function Choose({ of, choose, close }: ChooserProps & { of: Choices }) {
  const { document, type, noun, plural, searched } = of;
  const [text, setText] = useState('');
  const sought = text.trim();
  const settled = useSettled(sought);
  const { nodes, isFormer, error, reading, hasMore, isSearchedInPart } = usePages(
    document,
    { search: settled || null },
    (data) => data.found,
    [type],
  );
  const entries = (nodes ?? []).map((node) => ({ id: node.id, title: nameOf(node) }));
  const isSeeking = settled !== sought || isFormer || nodes === undefined;
  const isNothing = !isSeeking && !reading && !error && entries.length === 0;
  const label = noun.charAt(0).toUpperCase() + noun.slice(1);
  return (
    <Finder
      title={label}
      label={label}
      placeholder="What it is called, or an identifier"
      text={text}
      setText={setText}
      sections={[{ title: plural, entries }]}
      isSeeking={isSeeking}
      problem={error ? problemOf(error) : null}
      remark={remarkOn({ kind: noun, searched, sought, isNothing, hasMore, isSearchedInPart })}
      choose={choose}
      close={close}
    />
  );
}

const ofEdges = 'description, metadata, id or host';
const httpsEdges: Choices = {
  document: FindHttpsEdgesDocument,
  type: 'HttpsEdge',
  noun: 'HTTPS edge',
  plural: 'HTTPS edges',
  searched: ofEdges,
};
const tlsEdges: Choices = {
  document: FindTlsEdgesDocument,
  type: 'TlsEdge',
  noun: 'TLS edge',
  plural: 'TLS edges',
  searched: ofEdges,
};
const authorities: Choices = {
  document: FindSshAuthoritiesDocument,
  type: 'SshCertificateAuthority',
  noun: 'certificate authority',
  plural: 'Certificate authorities',
  searched: 'description, metadata or id',
};

export const ChooseHttpsEdge = (props: ChooserProps) => <Choose of={httpsEdges} {...props} />;
export const ChooseTlsEdge = (props: ChooserProps) => <Choose of={tlsEdges} {...props} />;
export const ChooseAuthority = (props: ChooserProps) => <Choose of={authorities} {...props} />;
