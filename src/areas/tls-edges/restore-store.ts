// Restores TLS edges, with their modules, to an earlier state.

import * as z from 'zod';
import { notFound } from '../../domain/errors.ts';
import { checkHostports } from '../../domain/values/hostport.ts';
import { notesForCreate } from '../../domain/values/text.ts';
import { isMissingReference } from '../../storage/errors.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import { notesState, type Restorers, restorer } from '../../storage/objects/restoring.ts';
import { expectVersion } from '../../storage/objects/version-conflict.ts';
import { readRules } from './policy/endpoint-rule.ts';
import {
  checkBackend,
  checkIpRestriction,
  checkPolicy,
  modules,
  tlsEdges,
  unknownBackend,
  writesOfIpRestriction,
} from './store.ts';

const edgeState = notesState.extend({
  hostports: z.array(z.string()),
  backend: z.object({ enabled: z.boolean(), backendId: z.string() }).nullable(),
  policy: z
    .object({ enabled: z.boolean(), inbound: z.string().nullable(), outbound: z.string().nullable() })
    .nullable(),
  ipRestriction: z
    .object({ enabled: z.boolean(), policyRefs: z.array(z.string()) })
    .nullable()
    // Edges had none when their earlier states were recorded.
    .default(null),
});
type EdgeState = z.infer<typeof edgeState>;

export const restorers: Restorers = {
  TlsEdge: restorer(edgeState, {
    async update({ scope }, { id, state }, expectedVersion) {
      const { columns, ...settings } = await checkState(scope, state);
      const { backend, policy, ipRestriction } = settings;
      // Which modules to delete depends on which exist in the version that was read.
      const seen = await scope.db.tlsEdge.findFirst({
        where: { id },
        select: { version: true, backend: { select: { edgeId: true } }, policy: { select: { edgeId: true } } },
      });
      if (seen === null) throw notFound();
      expectVersion(expectedVersion, seen.version);
      const following = [
        ...settingsOf(scope, id, settings),
        ...(backend === null && seen.backend !== null ? [modules.backend.prepareRemove(scope, { edgeId: id })] : []),
        ...(policy === null && seen.policy !== null ? [modules.policy.prepareRemove(scope, { edgeId: id })] : []),
        ...(ipRestriction === null ? [modules.ipRestriction.prepareRemoveAll(scope, { edgeId: id })] : []),
      ];
      return naming(state, tlsEdges.update(scope, id, columns, seen.version, { following }));
    },
    async recreate({ scope }, { object, state }) {
      const { columns, ...settings } = await checkState(scope, state);
      const following = settingsOf(scope, object.id, settings);
      return naming(state, tlsEdges.create(scope, columns, { object, following }));
    },
  }),
};

/** Checks the earlier state of an edge by the current rules. Throws like changes to an edge and its modules. */
async function checkState(scope: AccountScope, { hostports, backend, policy, ipRestriction, ...notes }: EdgeState) {
  const columns = { hostports: checkHostports(hostports), ...notesForCreate(notes) };
  if (backend !== null) await checkBackend(scope, backend.backendId);
  return {
    columns,
    backend,
    policy: policy === null ? null : await checkStoredPolicy(scope, policy),
    ipRestriction: ipRestriction === null ? null : await checkStoredIpRestriction(scope, ipRestriction),
  };
}

function checkStoredIpRestriction(
  scope: AccountScope,
  { enabled, policyRefs: ipPolicyIds }: NonNullable<EdgeState['ipRestriction']>,
) {
  return checkIpRestriction(scope, { enabled, ipPolicyIds });
}

async function checkStoredPolicy(
  scope: AccountScope,
  { enabled, inbound, outbound }: NonNullable<EdgeState['policy']>,
) {
  const read = (rules: string | null) => (rules === null ? null : readRules(rules));
  return { enabled, ...(await checkPolicy(scope, { inbound: read(inbound), outbound: read(outbound) })) };
}

/** Prepares the writes that set the modules that there are. */
function settingsOf(
  scope: AccountScope,
  edgeId: string,
  { backend, policy, ipRestriction }: Omit<Awaited<ReturnType<typeof checkState>>, 'columns'>,
) {
  return [
    ...(backend === null ? [] : [modules.backend.prepareSet(scope, { ...backend, edgeId })]),
    ...(policy === null ? [] : [modules.policy.prepareSet(scope, { ...policy, edgeId })]),
    ...(ipRestriction === null ? [] : writesOfIpRestriction(scope, edgeId, ipRestriction)),
  ];
}

/** Awaits a write. If it fails because the backend was deleted after the check, throws an error that names the backend. */
async function naming<T>({ backend }: EdgeState, write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    throw isMissingReference(error) && backend !== null ? unknownBackend(backend.backendId) : error;
  }
}
