// The panel of an IP restriction module: the policies that decide who may come in at a door, a route or a TLS edge.

import type { ReactNode } from 'react';
import type { Problem } from '../client/problem.ts';
import type { IpRestrictionMode } from '../client/types.generated.ts';
import { useMayLook } from '../impact/may-look.ts';
import { Preview } from '../impact/preview.tsx';
import { Button } from '../kit/button.tsx';
import { useDraft } from '../kit/draft.ts';
import { Switch } from '../kit/fields.tsx';
import { EditForm, errorOf } from '../kit/form.tsx';
import { ProblemNotice } from '../kit/notice.tsx';
import { Panel } from '../kit/page.tsx';
import { sayActor } from '../trail/changes.tsx';
import type { Deletion } from '../trail/deletion.tsx';
import { useSaved } from '../trail/undo.ts';
import { PoliciesField } from './policies-field.tsx';
import type { PolicyChoice } from './policy-choice.tsx';

/** The settings of a module; `mode` only where there can be a login. */
export interface ModuleSettings {
  readonly enabled: boolean;
  readonly mode?: IpRestrictionMode;
  readonly ipPolicyIds: readonly string[];
}

/** The panel of a module. */
export function RestrictionModule({
  of,
  module,
  hasModes = false,
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
  readonly module: {
    readonly enabled: boolean;
    readonly mode?: IpRestrictionMode;
    readonly ipPolicyRefs: readonly { readonly id: string }[];
    /** Those that exist. Undefined if the key may not read them. */
    readonly ipPolicies?: readonly PolicyChoice[] | undefined;
  } | null;
  /** Whether there is a choice between an address and a login. */
  readonly hasModes?: boolean;
  readonly canWrite: boolean;
  readonly running: boolean;
  readonly problem: Problem | null;
  readonly removal: Deletion;
  readonly callOf: (settings: ModuleSettings, version: number) => ReactNode;
  /** Returns the object as it was written. */
  readonly save: (
    settings: ModuleSettings,
    version: number,
  ) => Promise<{ readonly id: string; readonly version: number } | null | undefined>;
}) {
  const { withRestrictions } = useMayLook();
  const draft = useDraft<{ enabled: boolean; mode: IpRestrictionMode; ipPolicyIds: readonly string[] }>(
    {
      enabled: module?.enabled ?? true,
      mode: module?.mode ?? 'require',
      ipPolicyIds: module?.ipPolicyRefs.map(({ id }) => id) ?? [],
    },
    of.version,
    running,
  );
  const saved = useSaved(draft);
  const { enabled, mode, ipPolicyIds } = draft.values;
  const settings: ModuleSettings = { enabled, ...(hasModes && { mode }), ipPolicyIds };
  const isEmpty = ipPolicyIds.length === 0;
  const { ipPolicyRefs = [], ipPolicies } = module ?? {};
  // A deleted policy has no rules, and cannot be asked about.
  const deleted = ipPolicyRefs.filter(({ id }) => ipPolicies?.every((policy) => policy.id !== id));
  const isThere = (id: string) => deleted.every((policy) => policy.id !== id);
  // What is off keeps nobody out.
  const standing = module?.enabled ? module.ipPolicyRefs.map(({ id }) => id).filter(isThere) : null;
  const existing = ipPolicyIds.filter(isThere);
  return (
    <Panel
      title="Who may come in"
      description="Asked after the IP restrictions of type “endpoints”, which guard all doors."
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
        titles={{ enabled: 'On', mode: 'Instead of a login', ipPolicyIds: 'Policies' }}
        by={of.updatedBy ? sayActor(of.updatedBy) : undefined}
        running={running}
        problem={problem?.field?.startsWith('ipPolicyIds') ? null : problem}
        canWrite={canWrite}
        call={
          <>
            {callOf(settings, draft.version)}
            {module !== null && removal.call}
          </>
        }
        save={async () => {
          if (!isEmpty) saved('Who may come in is saved.', await save(settings, draft.version));
        }}
      >
        {removal.overtaken}
        <ProblemNotice problem={removal.problem} />
        <PoliciesField
          value={ipPolicyIds}
          onChange={(ids) => draft.set({ ipPolicyIds: ids })}
          known={module === null ? [] : module.ipPolicies}
          error={errorOf(problem, 'ipPolicyIds')}
          isDisabled={!canWrite}
        />
        {hasModes && (
          <Switch
            label="An allowed address needs no login"
            hint="Everybody else must log in, and is refused where the route has no login. Nobody’s name is passed on for an address."
            value={mode === 'suffice'}
            onChange={(suffices) => draft.set({ mode: suffices ? 'suffice' : 'require' })}
            isDisabled={!canWrite}
          />
        )}
        {!isEmpty && (
          <Switch
            label="It is on"
            hint="Off keeps the policies, but every address passes."
            value={enabled}
            onChange={(isOn) => draft.set({ enabled: isOn })}
            isDisabled={!canWrite}
          />
        )}
        {withRestrictions && draft.changes.ipPolicyIds !== undefined && (
          <Preview
            draft={{ id: null, type: 'endpoints', enforced: enabled, ipPolicyIds: existing, comparedWith: standing }}
          />
        )}
      </EditForm>
      {removal.dialog}
    </Panel>
  );
}
