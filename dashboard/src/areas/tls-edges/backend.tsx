// Where the traffic of an edge goes.

import { useAction, useData } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import { useCan } from '../../client/rights.ts';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { ChoiceField } from '../../kit/choice-field.tsx';
import { useDraft } from '../../kit/draft.ts';
import { Switch, TextField } from '../../kit/fields.tsx';
import { EditForm, errorOf } from '../../kit/form.tsx';
import { laterAbove } from '../../kit/later.tsx';
import { Link } from '../../kit/link.tsx';
import { Notice, ProblemNotice, Unreadable } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { sayActor } from '../../trail/changes.tsx';
import { useDeletion } from '../../trail/deletion.tsx';
import { useSaved } from '../../trail/undo.ts';
import {
  BackendChoiceDocument,
  DeleteTlsEdgeBackendDocument,
  ReplaceTlsEdgeBackendDocument,
  type TlsEdgePartsFragment,
} from './tls-edges.generated.ts';

/** Loaded on demand: few users need it. */
const ChooseBackend = laterAbove(() => import('./choose-backend.tsx'));

/** The panel that chooses the backend of an edge. */
export function BackendModule({ edge }: { edge: TlsEdgePartsFragment }) {
  const canWrite = useCan('tls-edges:write');
  const canRead = useCan('backends:read');
  const canMake = useCan('backends:write');
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
    text: 'Exported proxy configurations then have no server to send its connections to.',
  });
  const saved = useSaved(draft);
  const { backendId, enabled } = draft.values;
  const ids = backendId === '' ? [] : [backendId];
  const { data, error, reload } = useData(BackendChoiceDocument, { ids }, ['TunnelGroupBackend'], !canRead);
  const isNone = backendId === '' && data?.tunnelGroupBackends?.nodes.length === 0;
  const [node] = data?.nodes ?? [];
  const chosen = node && 'labels' in node ? node : undefined;
  const input = { edgeId: edge.id, backendId, enabled, expectedVersion: draft.version };
  if (isNone) {
    return (
      <Panel title="Backend">
        <Notice>
          There are no backends yet.
          {canWrite && canMake && (
            <>
              {' '}
              <Link href="/backends?new=1">Make one</Link>, and choose it here.
            </>
          )}
        </Notice>
      </Panel>
    );
  }
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
        canWrite={canWrite}
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
        {error && <Unreadable error={error} retry={reload} />}
        {canRead ? (
          <>
            <ChoiceField
              label="Backend"
              any="Choose a backend"
              value={backendId}
              name={nameOf(chosen ?? { id: backendId })}
              onChange={(id) => draft.set({ backendId: id })}
              Choose={ChooseBackend}
              isRequired
              hint={
                chosen
                  ? sayLabels(chosen.labels)
                  : 'The exported HAProxy configuration sends the connections of the edge to its targets.'
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
            hint="Off keeps the choice, but nothing is exported for the edge."
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
