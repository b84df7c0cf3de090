// Restores TLS edges, with their modules, to an earlier state.

import * as z from 'zod';
import { notFound } from '../../domain/errors.ts';
import { checkHostports } from '../../domain/values/hostport.ts';
import { notesForCreate } from '../../domain/values/text.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import { checkBackend, namingBackend } from '../../storage/objects/backend-references.ts';
import { notesState, type Restorers, restorer } from '../../storage/objects/restoring.ts';
import { expectVersion } from '../../storage/objects/version-conflict.ts';
import { readRules } from './policy/endpoint-rule.ts';
import { checkPolicy } from './policy-store.ts';
import { checkIpRestriction, modules, tlsEdges, writesOfModules } from './store.ts';

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
        ...writesOfModules(scope, id, settings),
        ...(backend === null && seen.backend !== null ? [modules.backend.prepareRemove(scope, { edgeId: id })] : []),
        ...(policy === null && seen.policy !== null ? [modules.policy.prepareRemove(scope, { edgeId: id })] : []),
        ...(ipRestriction === null ? [modules.ipRestriction.prepareRemoveAll(scope, { edgeId: id })] : []),
      ];
      return namingBackend(tlsEdges.update(scope, id, columns, seen.version, { following }), backend);
    },
    async recreate({ scope }, { object, state }) {
      const { columns, ...settings } = await checkState(scope, state);
      const following = writesOfModules(scope, object.id, settings);
      return namingBackend(tlsEdges.create(scope, columns, { object, following }), settings.backend);
    },
  }),
};

/** Checks the earlier state of an edge by the current rules. Throws like changes to an edge and its modules. */
async function checkState(scope: AccountScope, { hostports, backend, policy, ipRestriction, ...notes }: EdgeState) {
  const columns = { hostports: checkHostports(hostports), ...notesForCreate(notes) };
  return {
    columns,
    backend: backend === null ? null : await checkBackend(scope, backend),
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
