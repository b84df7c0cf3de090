// The panel of a backend module: where the traffic of a route or a TLS edge goes.

import type { ReactNode } from 'react';
import { useData } from '../client/data.ts';
import { nameOf } from '../client/kinds.ts';
import type { Problem } from '../client/problem.ts';
import { useCan } from '../client/rights.ts';
import { Button } from '../kit/button.tsx';
import { ChoiceField } from '../kit/choice-field.tsx';
import { useDraft } from '../kit/draft.ts';
import { Switch, TextField } from '../kit/fields.tsx';
import { EditForm, errorOf } from '../kit/form.tsx';
import { laterAbove } from '../kit/later.tsx';
import { Link } from '../kit/link.tsx';
import { Notice, ProblemNotice, Unreadable } from '../kit/notice.tsx';
import { Panel } from '../kit/page.tsx';
import { sayActor } from '../trail/changes.tsx';
import type { Deletion } from '../trail/deletion.tsx';
import { useSaved } from '../trail/undo.ts';
import { BackendChoiceDocument } from './backend-choice.generated.ts';

/** Loaded on demand: few users need it. */
const ChooseBackend = laterAbove(() => import('./choose-backend.tsx'));

/** The settings of a module. */
export interface BackendSettings {
  readonly enabled: boolean;
  readonly backendId: string;
}

/** The panel that chooses the backend of a route or a TLS edge. */
export function BackendModule({
  of,
  module,
  noun,
  hint,
  canWrite,
  running,
  problem,
  removal,
  callOf,
  save,
}: {
  /** The object of the module. */
  readonly of: { readonly version: number; readonly updatedBy: Parameters<typeof sayActor>[0] | null };
  /** Null if it is not set. */
  readonly module: { readonly enabled: boolean; readonly backendRef: { readonly id: string } } | null;
  /** What the object is called. */
  readonly noun: string;
  /** Says what the choice does. */
  readonly hint: string;
  readonly canWrite: boolean;
  readonly running: boolean;
  readonly problem: Problem | null;
  readonly removal: Deletion;
  readonly callOf: (settings: BackendSettings, version: number) => ReactNode;
  /** Returns the object as it was written. */
  readonly save: (
    settings: BackendSettings,
    version: number,
  ) => Promise<{ readonly id: string; readonly version: number } | null | undefined>;
}) {
  const canRead = useCan('backends:read');
  const canMake = useCan('backends:write');
  const draft = useDraft(
    { backendId: module?.backendRef.id ?? '', enabled: module?.enabled ?? true },
    of.version,
    running,
  );
  const saved = useSaved(draft);
  const { backendId, enabled } = draft.values;
  const ids = backendId === '' ? [] : [backendId];
  const { data, error, reload } = useData(BackendChoiceDocument, { ids }, ['TunnelGroupBackend'], !canRead);
  const isNone = backendId === '' && data?.tunnelGroupBackends?.nodes.length === 0;
  const [node] = data?.nodes ?? [];
  const chosen = node && 'labels' in node ? node : undefined;
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
        module !== null && (
          <Button look="plain" isPending={removal.running} onPress={removal.start}>
            Remove
          </Button>
        )
      }
    >
      <EditForm
        draft={draft}
        titles={{ backendId: 'Backend', enabled: 'On' }}
        by={of.updatedBy ? sayActor(of.updatedBy) : undefined}
        running={running}
        problem={problem}
        canWrite={canWrite}
        call={
          <>
            {callOf({ enabled, backendId }, draft.version)}
            {module !== null && removal.call}
          </>
        }
        save={async () => saved(`Backend of the ${noun} saved.`, await save({ enabled, backendId }, draft.version))}
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
              hint={chosen ? sayLabels(chosen.labels) : hint}
              error={errorOf(problem, 'backendId')}
              isDisabled={!canWrite}
            />
            {module !== null && <Link href={`/backends/${module.backendRef.id}`}>Open the backend</Link>}
          </>
        ) : (
          <TextField
            label="Backend"
            mono
            value={backendId}
            onChange={(id) => draft.set({ backendId: id })}
            hint="The identifier of a backend. Your key may not list them."
            error={errorOf(problem, 'backendId')}
            isDisabled={!canWrite}
          />
        )}
        {backendId !== '' && (
          <Switch
            label="The backend is on"
            hint={`Off keeps the choice, but nothing is exported for the ${noun}.`}
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
