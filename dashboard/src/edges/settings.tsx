// The settings of an edge of either protocol: its description, hosts and metadata.

import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { ReactNode } from 'react';
import { Switch } from '../kit/fields.tsx';
import { HostportsField, readHostports } from '../kit/hostports.tsx';
import { DescriptionField, MetadataField, type NoteValues } from '../kit/notes.tsx';
import { Panel } from '../kit/page.tsx';
import type { EventLineFragment } from '../trail/events.generated.ts';
import { ObjectForm } from '../trail/object-form.tsx';

/** The parts of an edge that its settings show. */
interface Edge extends NoteValues {
  readonly id: string;
  readonly version: number;
  readonly hostports: readonly string[];
  readonly updatedBy: EventLineFragment['actor'] | null;
}

/** A switch that only edges of one protocol have. */
interface EdgeSwitch {
  /** The name of its field. */
  readonly field: 'signsIdentity' | 'forwardsKeys';
  readonly label: string;
  readonly hint: string;
  readonly value: boolean;
}

/** Input that changes an edge. */
interface EdgeInput {
  id: string;
  expectedVersion: number;
  description?: string;
  hostports?: string[];
  metadata?: string;
  signsIdentity?: boolean;
  forwardsKeys?: boolean;
}

interface EdgeSettingsProps<D> {
  readonly edge: Edge;
  /** The GraphQL type name, such as `TlsEdge`. */
  readonly kind: string;
  readonly description?: ReactNode;
  /** Label and placeholder of the field for hosts. */
  readonly hosts: { readonly label: string; readonly placeholder: string };
  readonly switches?: readonly EdgeSwitch[];
  readonly document: TypedDocumentNode<D, { input: EdgeInput }>;
  /** Returns the edge in the answer. */
  readonly writtenOf: (answer: D) => { readonly id: string; readonly version: number } | undefined;
  /** The REST path. */
  readonly path: string;
  readonly canWrite: boolean;
}

/** The settings of an edge. */
export function EdgeSettings<D>(props: EdgeSettingsProps<D>) {
  const { edge, kind, description, hosts, switches = [], document, writtenOf, path, canWrite } = props;
  const { hostports, metadata } = edge;
  const flags: Partial<Record<EdgeSwitch['field'], boolean>> = {};
  for (const { field, value } of switches) flags[field] = value;
  return (
    <Panel title="Settings" description={description}>
      <ObjectForm
        of={edge}
        values={{ description: edge.description, hostports, metadata, ...flags }}
        titles={{
          description: 'Description',
          hostports: hosts.label,
          metadata: 'Metadata',
          ...Object.fromEntries(switches.map(({ field, label }) => [field, label])),
        }}
        kinds={[kind]}
        document={document}
        changeOf={({ hostports: lines, ...others }) => ({
          ...others,
          ...(lines && { hostports: readHostports(lines) }),
        })}
        writtenOf={writtenOf}
        path={path}
        said="Edge saved."
        canWrite={canWrite}
      >
        {({ draft, problem }) => (
          <>
            <DescriptionField draft={draft} problem={problem} canWrite={canWrite} />
            <HostportsField
              {...hosts}
              value={draft.values.hostports}
              onChange={(value) => draft.set({ hostports: value })}
              problem={problem}
              isDisabled={!canWrite}
            />
            {switches.map(({ field, label, hint }) => (
              <Switch
                key={field}
                label={label}
                hint={hint}
                value={draft.values[field] === true}
                onChange={(value) => draft.set({ [field]: value })}
                isDisabled={!canWrite}
              />
            ))}
            <MetadataField draft={draft} problem={problem} canWrite={canWrite} />
          </>
        )}
      </ObjectForm>
    </Panel>
  );
}
