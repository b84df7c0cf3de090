// Where the traffic of an edge goes.

import { useAction, useData } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import { useCan } from '../../client/rights.ts';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { useDraft } from '../../kit/draft.ts';
import { SelectField, Switch, TextField } from '../../kit/fields.tsx';
import { EditForm, errorOf } from '../../kit/form.tsx';
import { Link } from '../../kit/link.tsx';
import { Notice, ProblemNotice } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { sayActor } from '../../trail/changes.tsx';
import { useDeletion } from '../../trail/deletion.tsx';
import { useSaved } from '../../trail/undo.ts';
import {
  BackendChoicesDocument,
  DeleteTlsEdgeBackendDocument,
  ReplaceTlsEdgeBackendDocument,
  type TlsEdgePartsFragment,
} from './tls-edges.generated.ts';

/** The panel that chooses the backend of an edge. */
export function BackendModule({ edge }: { edge: TlsEdgePartsFragment }) {
  const canWrite = useCan('tls-edges:write');
  const canRead = useCan('backends:read');
  const canMake = useCan('backends:write');
  const choices = useData(BackendChoicesDocument, {}, ['TunnelGroupBackend'], !canRead);
  const set = edge.backend;
  const replacing = useAction(ReplaceTlsEdgeBackendDocument, ['TlsEdge', 'TunnelGroupBackend']);
  const draft = useDraft(
    { backendId: set?.backendRef.id ?? '', enabled: set?.enabled ?? true },
    edge.version,
    replacing.running,
  );
  const removal = useDeletion({
    of: edge,
    kind: 'TlsEdge',
    document: DeleteTlsEdgeBackendDocument,
    input: (expectedVersion) => ({ edgeId: edge.id, expectedVersion }),
    path: `/edges/tls/${edge.id}/backend`,
    alsoChanged: ['TunnelGroupBackend'],
    deed: 'removes',
    said: 'Backend removed from the edge.',
    asks: !useCan('audit-events:read'),
    undoes: (answer) => answer.deleteTlsEdgeBackend?.tlsEdge,
    question: { title: 'Remove the backend from this edge?', action: 'Remove backend' },
    text: 'Connections to this edge go nowhere until it has another one.',
  });
  const saved = useSaved(draft);
  const { backendId, enabled } = draft.values;
  const nodes = choices.data?.tunnelGroupBackends?.nodes ?? [];
  const isListed = backendId === '' || nodes.some((each) => each.id === backendId);
  const options = [
    ...(set === null ? [{ value: '', title: 'Choose a backend' }] : []),
    ...(isListed ? [] : [{ value: backendId, title: backendId }]),
    ...nodes.map((each) => ({ value: each.id, title: nameOf(each) })),
  ];
  const chosen = nodes.find((each) => each.id === backendId);
  const input = { edgeId: edge.id, backendId, enabled, expectedVersion: draft.version };
  return (
    <Panel
      title="Backend"
      actions={
        canWrite &&
        set !== null && (
          <Button look="plain" isPending={removal.running} onPress={removal.start}>
            Remove
          </Button>
        )
      }
    >
      <EditForm
        draft={draft}
        titles={{ backendId: 'Backend', enabled: 'On' }}
        by={edge.updatedBy ? sayActor(edge.updatedBy) : undefined}
        running={replacing.running}
        problem={replacing.problem}
        canWrite={canWrite && (canRead ? nodes.length > 0 : true)}
        call={
          <>
            <Call
              rest={{
                method: 'PUT',
                path: `/edges/tls/${edge.id}/backend`,
                body: { enabled, backend_id: backendId },
                ifMatch: draft.version,
              }}
              document={ReplaceTlsEdgeBackendDocument}
              variables={{ input }}
            />
            {set !== null && removal.call}
          </>
        }
        save={async () =>
          saved('Backend of the edge saved.', (await replacing.run({ input }))?.replaceTlsEdgeBackend?.tlsEdge)
        }
      >
        {removal.overtaken}
        <ProblemNotice problem={removal.problem} />
        {canRead && choices.data && nodes.length === 0 && isListed ? (
          <Notice>
            There are no backends yet.
            {canWrite && canMake && (
              <>
                {' '}
                <Link href="/backends?new=1">Make one</Link>, and choose it here.
              </>
            )}
          </Notice>
        ) : canRead ? (
          <>
            <SelectField
              label="Backend"
              value={backendId}
              onChange={(id) => draft.set({ backendId: id })}
              options={options}
              hint={
                set === null && !draft.isDirty
                  ? 'Without a backend, connections to this edge go nowhere.'
                  : chosen && sayLabels(chosen.labels)
              }
              error={errorOf(replacing.problem, 'backendId')}
              isDisabled={!canWrite}
            />
            {set !== null && <Link href={`/backends/${set.backendRef.id}`}>Open the backend</Link>}
          </>
        ) : (
          <TextField
            label="Backend"
            mono
            value={backendId}
            onChange={(id) => draft.set({ backendId: id })}
            hint="The identifier of a backend. Your key may not list them."
            error={errorOf(replacing.problem, 'backendId')}
            isDisabled={!canWrite}
          />
        )}
        {backendId !== '' && (
          <Switch
            label="The backend is on"
            hint="Off keeps the choice, and sends it no traffic."
            value={enabled}
            onChange={(isOn) => draft.set({ enabled: isOn })}
            isDisabled={!canWrite}
          />
        )}
      </EditForm>
      {removal.dialog}
    </Panel>
  );
}

/** Describes which tunnels a backend groups. The server returns labels as a JSON object with string values. */
function sayLabels(labels: unknown): string {
  const pairs = Object.entries(labels as Record<string, string>).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? 'It has no labels, and groups no tunnels.' : `Tunnels with ${pairs.join(', ')}.`;
}
