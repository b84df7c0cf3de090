// TLS edges and their modules in the database. A module is a part of its edge: each change to a module increments the version of
// the edge, so expecting a version of the edge protects its modules as well.

import { checkHostports } from '../../domain/values/hostport.ts';
import { type Notes, notesForCreate, notesForUpdate } from '../../domain/values/text.ts';
import { isMissingRow } from '../../storage/errors.ts';
import { type PolicyRef, policyRefsTo } from '../../storage/ip/policy-references.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import {
  type BackendSettings,
  type CheckedBackend,
  checkBackend,
  namingBackend,
} from '../../storage/objects/backend-references.ts';
import { countedUp, type ExpectedVersion, type Row, type Write } from '../../storage/objects/collection.ts';
import { collectionOf } from '../../storage/objects/collections.ts';
import { asGiven, newestFirst } from '../../storage/objects/inner-lists.ts';
import { records } from '../../storage/objects/records.ts';
import { versionWithModules } from '../../storage/objects/write-options.ts';
import type { EndpointRule } from './policy/endpoint-rule.ts';
import { checkPolicy } from './policy-store.ts';

export const tlsEdges = collectionOf('TlsEdge');
/** The modules of edges, by the names that edges have for them. */
export const modules = {
  backend: records('TlsBackendModule', 'edgeId'),
  policy: records('TlsPolicyModule', 'edgeId'),
  ipRestriction: records('TlsIpRestrictionModule', 'edgeId'),
} as const;

/** The edges whose traffic a backend serves, newest first. */
export const edgesOfBackend = newestFirst('TlsBackendModule', 'backendId', 'edgeId');

const ipRestrictionPolicies = records('TlsIpRestrictionPolicy', 'edgeId');

/** The policies that the IP restriction module of an edge refers to, in the order given; some may have been deleted. */
export const policiesOfEdge = asGiven('TlsIpRestrictionPolicy', 'edgeId', 'ipPolicyId');

/** The edges whose IP restriction module refers to a policy, newest first. */
export const edgesOfPolicy = newestFirst('TlsIpRestrictionPolicy', 'ipPolicyId', 'edgeId');

/** What a create or an update sets; null or absent is the default on a create, and keeps the value on an update. */
interface EdgeInput extends Notes {
  readonly hostports?: readonly string[] | null | undefined;
  readonly backend?: BackendSettings | null | undefined;
  readonly ipRestriction?: IpRestrictionSettings | null | undefined;
}

/**
 * Creates a TLS edge, with the modules that are given.
 *
 * @throws INVALID_INPUT, UNKNOWN_REFERENCE for a backend or an IP policy that does not belong to this account
 */
export async function createTlsEdge(scope: AccountScope, input: EdgeInput): Promise<ChangedEdge> {
  const columns = { hostports: checkHostports(input.hostports ?? []), ...notesForCreate(input) };
  const given = await checkModules(scope, input);
  const object = { ...tlsEdges.newObject(scope), ...(hasModules(given) ? { version: versionWithModules } : {}) };
  const following = writesOfModules(scope, object.id, given);
  const edge = await namingBackend(
    tlsEdges.create(scope, columns, { object, following }),
    given.backend,
    'backend.backendId',
  );
  return { ...edge, ...shownModules(object.id, given) };
}

/** Changes a TLS edge; null keeps the current hostports and modules. Throws as `createTlsEdge` and `collection.update`. */
export async function updateTlsEdge(
  scope: AccountScope,
  input: EdgeInput & { id: string; expectedVersion?: ExpectedVersion },
): Promise<ChangedEdge> {
  const { id } = input;
  const given = await checkModules(scope, input);
  const change = {
    ...(hasModules(given) ? countedUp : {}),
    ...(input.hostports == null ? {} : { hostports: checkHostports(input.hostports) }),
    ...notesForUpdate(input),
  };
  const following = writesOfModules(scope, id, given);
  const edge = await namingBackend(
    tlsEdges.update(scope, id, change, input.expectedVersion, { following }),
    given.backend,
    'backend.backendId',
  );
  return { ...edge, ...shownModules(id, given) };
}

/** An edge as a change of a module leaves it, with that module. */
type ChangedEdge = Row<'TlsEdge'> & { readonly [M in keyof typeof modules]?: object | null };

/** The edge of a module to change, and the version that the edge is expected to have. */
interface ModuleAddress {
  edgeId: string;
  expectedVersion?: ExpectedVersion;
}

/**
 * Replaces the backend module of an edge, or sets it for the first time.
 *
 * @throws UNKNOWN_REFERENCE for a backend that does not belong to this account, and as `collection.update`
 */
export async function replaceTlsEdgeBackend(
  scope: AccountScope,
  input: ModuleAddress & BackendSettings,
): Promise<ChangedEdge> {
  const { edgeId } = input;
  const backend = await checkBackend(scope, input);
  const following = writesOfModules(scope, edgeId, { backend });
  const edge = await namingBackend(
    tlsEdges.update(scope, edgeId, countedUp, input.expectedVersion, { following }),
    backend,
  );
  return { ...edge, ...shownModules(edgeId, { backend }) };
}

/**
 * Replaces the policy module of an edge, or sets it for the first time.
 *
 * @throws INVALID_INPUT and UNKNOWN_FIELD for invalid rules, UNKNOWN_REFERENCE for an IP policy that does not belong to this
 *   account, and as `collection.update`
 */
export async function replaceTlsEdgePolicy(
  scope: AccountScope,
  input: ModuleAddress & {
    enabled?: boolean | null | undefined;
    inbound?: readonly EndpointRule[] | null | undefined;
    outbound?: readonly EndpointRule[] | null | undefined;
  },
): Promise<ChangedEdge> {
  const rules = await checkPolicy(scope, { inbound: input.inbound ?? null, outbound: input.outbound ?? null });
  const { edgeId } = input;
  const policy = { edgeId, enabled: input.enabled ?? true, ...rules };
  const following = [modules.policy.prepareSet(scope, policy)];
  const edge = await tlsEdges.update(scope, edgeId, countedUp, input.expectedVersion, { following });
  return { ...edge, policy };
}

/** The settings of an IP restriction module as a client gives them; null and undefined mean the default. */
interface IpRestrictionSettings {
  enabled?: boolean | null | undefined;
  ipPolicyIds: readonly string[];
}

/**
 * Replaces the IP restriction module of an edge, or sets it for the first time.
 *
 * @throws INVALID_INPUT for an empty list, UNKNOWN_REFERENCE for an IP policy that does not belong to this account, and as
 *   `collection.update`
 */
export async function replaceTlsEdgeIpRestriction(
  scope: AccountScope,
  input: ModuleAddress & IpRestrictionSettings,
): Promise<ChangedEdge> {
  const { edgeId } = input;
  const ipRestriction = await checkIpRestriction(scope, input);
  const following = writesOfModules(scope, edgeId, { ipRestriction });
  const edge = await tlsEdges.update(scope, edgeId, countedUp, input.expectedVersion, { following });
  return { ...edge, ...shownModules(edgeId, { ipRestriction }) };
}

/**
 * Checks the settings of an IP restriction module and applies the defaults. Throws as `replaceTlsEdgeIpRestriction`.
 *
 * @param field the name of the list of policies in errors
 */
export async function checkIpRestriction(
  scope: AccountScope,
  { enabled, ipPolicyIds }: IpRestrictionSettings,
  field?: string,
): Promise<CheckedIpRestriction> {
  return { enabled: enabled ?? true, policyRefs: await policyRefsTo(scope, ipPolicyIds, field) };
}

interface CheckedIpRestriction {
  readonly enabled: boolean;
  readonly policyRefs: readonly PolicyRef[];
}

/** All settings of a policy module, with its rules in stored form. */
interface CheckedPolicy {
  readonly enabled: boolean;
  readonly inbound: string | null;
  readonly outbound: string | null;
}

/** Modules to set, whose settings have been checked; null or absent leaves a module as it is. */
interface CheckedModules {
  readonly backend?: CheckedBackend | null;
  readonly policy?: CheckedPolicy | null;
  readonly ipRestriction?: CheckedIpRestriction | null;
}

/** Checks the modules that are set together with their edge. Throws as `createTlsEdge`. */
async function checkModules(scope: AccountScope, { backend, ipRestriction }: EdgeInput) {
  return {
    backend: backend == null ? null : await checkBackend(scope, backend, 'backend.backendId'),
    ipRestriction:
      ipRestriction == null ? null : await checkIpRestriction(scope, ipRestriction, 'ipRestriction.ipPolicyIds'),
  };
}

function hasModules(given: CheckedModules): boolean {
  return Object.values(given).some((module) => module !== null);
}

/** Prepares the writes that set modules of an edge. */
export function writesOfModules(
  scope: AccountScope,
  edgeId: string,
  { backend, policy, ipRestriction }: CheckedModules,
): Write[] {
  return [
    ...(backend == null ? [] : [modules.backend.prepareSet(scope, { ...backend, edgeId })]),
    ...(policy == null ? [] : [modules.policy.prepareSet(scope, { ...policy, edgeId })]),
    ...(ipRestriction == null ? [] : writesOfIpRestriction(scope, edgeId, ipRestriction)),
  ];
}

/** Returns modules that have been set, as rows under the names that edges have for them. */
function shownModules(edgeId: string, { backend, ipRestriction }: CheckedModules) {
  return {
    ...(backend == null ? {} : { backend: { edgeId, ...backend } }),
    ...(ipRestriction == null ? {} : { ipRestriction: { edgeId, enabled: ipRestriction.enabled } }),
  };
}

function writesOfIpRestriction(
  scope: AccountScope,
  edgeId: string,
  { enabled, policyRefs }: CheckedIpRestriction,
): Write[] {
  return [
    modules.ipRestriction.prepareSet(scope, { edgeId, enabled }),
    ipRestrictionPolicies.prepareRemoveAll(scope, { edgeId }),
    ...ipRestrictionPolicies.prepareCreateAll(
      scope,
      policyRefs.map((ref) => ({ ...ref, edgeId })),
    ),
  ];
}

/** Deletes a module of an edge; a no-op if it is not set. Throws as `collection.update`. */
export async function deleteTlsEdgeModule(
  scope: AccountScope,
  module: keyof typeof modules,
  { edgeId, expectedVersion }: ModuleAddress,
): Promise<ChangedEdge> {
  const following = [modules[module].prepareRemove(scope, { edgeId })];
  try {
    const edge = await tlsEdges.update(scope, edgeId, countedUp, expectedVersion, { following });
    return { ...edge, [module]: null };
  } catch (error) {
    // Neither the edge nor its version was missing, so it was the module, even if another request has set it again by now.
    if (!isMissingRow(error)) throw error;
    return tlsEdges.update(scope, edgeId, {}, expectedVersion);
  }
}
