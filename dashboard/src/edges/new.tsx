// The form that creates an edge of either protocol, with its description and hosts.

import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { useState } from 'react';
import { CreateDialog } from '../kit/create.tsx';
import { TextField } from '../kit/fields.tsx';
import { errorOf } from '../kit/form.tsx';
import { HostportsField, readHostports } from '../kit/hostports.tsx';

/** Input for a new edge. */
interface EdgeInput {
  description: string;
  hostports: string[];
}

/** How edges of one protocol are created. */
export interface NewEdgeProps<D> {
  readonly title: string;
  readonly close: () => void;
  /** The GraphQL type name, such as `TlsEdge`. */
  readonly kind: string;
  readonly document: TypedDocumentNode<D, { input: EdgeInput }>;
  /** The REST path. */
  readonly path: string;
  /** Returns the edge in the answer. */
  readonly made: (answer: D) => { readonly id: string } | undefined;
  /** Hint of the description field, with an example. */
  readonly hint: string;
  /** Label and placeholder of the field for hosts. */
  readonly hosts: { readonly label: string; readonly placeholder: string };
}

/** A dialog that creates an edge and then opens its page. */
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
