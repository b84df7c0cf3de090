// The form that makes an edge, of either protocol: what it is for, and which hosts belong to it.

import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { useState } from 'react';
import { CreateDialog } from '../kit/create.tsx';
import { TextField } from '../kit/fields.tsx';
import { errorOf } from '../kit/form.tsx';
import { HostportsField, readHostports } from '../kit/hostports.tsx';

/** What is told of a new edge. */
interface EdgeInput {
  description: string;
  hostports: string[];
}

/** How edges of a protocol are made. */
export interface NewEdgeProps<D> {
  readonly title: string;
  readonly close: () => void;
  /** The name of its type, such as `TlsEdge`. */
  readonly kind: string;
  readonly document: TypedDocumentNode<D, { input: EdgeInput }>;
  /** Its path on REST. */
  readonly path: string;
  /** Finds the edge in the answer. */
  readonly made: (answer: D) => { readonly id: string } | undefined;
  /** What a description says, with an example. */
  readonly hint: string;
  /** What its hosts are called, and what one looks like. */
  readonly hosts: { readonly label: string; readonly placeholder: string };
}

/** A dialog that makes an edge, and leads to its page. */
export function NewEdge<D>({ path, hint, hosts, ...dialog }: NewEdgeProps<D>) {
  const [description, setDescription] = useState('');
  const [lines, setLines] = useState<readonly string[]>([]);
  return (
    <CreateDialog {...dialog} input={{ description, hostports: readHostports(lines) }} rest={{ path }}>
      {(problem) => (
        <>
          <TextField
            label="Description"
            value={description}
            onChange={setDescription}
            hint={hint}
            error={errorOf(problem, 'description')}
            autoFocus
          />
          <HostportsField {...hosts} value={lines} onChange={setLines} problem={problem} />
        </>
      )}
    </CreateDialog>
  );
}
