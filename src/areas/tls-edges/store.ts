// TLS edges and their modules in the database. A module is a part of its edge: each change to a module increments the version of
// the edge, so expecting a version of the edge protects its modules as well.

import { inTurns } from '../../domain/concurrency/steps.ts';
import { type SallyportError, unknownReference } from '../../domain/errors.ts';
import { checkHostports } from '../../domain/values/hostport.ts';
import { type Notes, notesForCreate, notesForUpdate } from '../../domain/values/text.ts';
import { isMissingReference, isMissingRow } from '../../storage/errors.ts';
import { ipPolicies, policyRefsTo } from '../../storage/ip/policy-references.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import { countedUp, type ExpectedVersion, type Row, type Write } from '../../storage/objects/collection.ts';
import { collectionOf } from '../../storage/objects/collections.ts';
import type { InnerList } from '../../storage/objects/inner-lists.ts';
import { records } from '../../storage/objects/records.ts';
import type { EndpointRule } from './policy/endpoint-rule.ts';
import { firstProblems, type IpPolicyReference, type PolicyProblem, type PolicyRules, problemAt } from './rules.ts';
import { costOfWarning, expressionsOf, warningAbout } from './warning-rules.ts';

export const tlsEdges = collectionOf('TlsEdge');
/** The modules of edges, by the names that edges have for them. */
export const modules = {
  backend: records('TlsBackendModule', 'edgeId'),
  policy: records('TlsPolicyModule', 'edgeId'),
  ipRestriction: records('TlsIpRestrictionModule', 'edgeId'),
} as const;
export const tunnelGroupBackends = collectionOf('TunnelGroupBackend');

/** The edges whose traffic a backend serves, newest first. */
export const edgesOfBackend = {
  model: 'TlsBackendModule',
  parent: 'backendId',
  value: 'edgeId',
  order: 'edgeId',
  direction: 'DESC',
} as const satisfies InnerList;

const ipRestrictionPolicies = records('TlsIpRestrictionPolicy', 'edgeId');

/** The policies that the IP restriction module of an edge refers to, in the order given; some may have been deleted. */
export const policiesOfEdge = {
  model: 'TlsIpRestrictionPolicy',
  parent: 'edgeId',
  value: 'ipPolicyId',
  order: 'position',
  direction: 'ASC',
} as const satisfies InnerList;

/** The edges whose IP restriction module refers to a policy, newest first. */
export const edgesOfPolicy = {
  model: 'TlsIpRestrictionPolicy',
  parent: 'ipPolicyId',
  value: 'edgeId',
  order: 'edgeId',
  direction: 'DESC',
} as const satisfies InnerList;

/** Creates a TLS edge without modules. Throws INVALID_INPUT. */
export async function createTlsEdge(
  scope: AccountScope,
  input: Notes & { hostports?: readonly string[] | null | undefined },
): Promise<Row<'TlsEdge'>> {
  const columns = { hostports: checkHostports(input.hostports ?? []), ...notesForCreate(input) };
  return tlsEdges.create(scope, columns);
}

/** Changes a TLS edge; null keeps the current hostports. Throws INVALID_INPUT, and as `collection.update`. */
export async function updateTlsEdge(
  scope: AccountScope,
  input: Notes & {
    id: string;
    hostports?: readonly string[] | null | undefined;
    expectedVersion?: ExpectedVersion;
  },
): Promise<Row<'TlsEdge'>> {
  const change = {
    ...(input.hostports == null ? {} : { hostports: checkHostports(input.hostports) }),
    ...notesForUpdate(input),
  };
  return tlsEdges.update(scope, input.id, change, input.expectedVersion);
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
  input: ModuleAddress & { enabled?: boolean | null | undefined; backendId: string },
): Promise<ChangedEdge> {
  const { edgeId, backendId } = input;
  await checkBackend(scope, backendId);
  const backend = { edgeId, enabled: input.enabled ?? true, backendId };
  const following = [modules.backend.prepareSet(scope, backend)];
  try {
    const edge = await tlsEdges.update(scope, edgeId, countedUp, input.expectedVersion, { following });
    return { ...edge, backend };
  } catch (error) {
    // The backend was deleted between the check and the write.
    throw isMissingReference(error) ? unknownBackend(backendId) : error;
  }
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
  const module = await checkIpRestriction(scope, input);
  const following = writesOfIpRestriction(scope, edgeId, module);
  const edge = await tlsEdges.update(scope, edgeId, countedUp, input.expectedVersion, { following });
  return { ...edge, ipRestriction: { edgeId, enabled: module.enabled } };
}

/** Checks the settings of an IP restriction module and applies the defaults. Throws as `replaceTlsEdgeIpRestriction`. */
export async function checkIpRestriction(scope: AccountScope, { enabled, ipPolicyIds }: IpRestrictionSettings) {
  return { enabled: enabled ?? true, policyRefs: await policyRefsTo(scope, ipPolicyIds) };
}

/** Prepares the writes that set an IP restriction module. */
export function writesOfIpRestriction(
  scope: AccountScope,
  edgeId: string,
  { enabled, policyRefs }: Awaited<ReturnType<typeof checkIpRestriction>>,
): Write[] {
  return [
    modules.ipRestriction.prepareSet(scope, { edgeId, enabled }),
    ipRestrictionPolicies.prepareRemoveAll(scope, { edgeId }),
    ...policyRefs.map((ref) => ipRestrictionPolicies.prepareCreate(scope, { ...ref, edgeId })),
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

/** Throws UNKNOWN_REFERENCE if the account has no such backend. */
export async function checkBackend(scope: AccountScope, backendId: string): Promise<void> {
  if ((await tunnelGroupBackends.firstUnknown(scope, [backendId])) !== -1) throw unknownBackend(backendId);
}

/** Creates the error for a backend that does not belong to this account. */
export function unknownBackend(backendId: string): SallyportError {
  return unknownReference('backendId', 'tunnel-group backend', backendId);
}

/** Checks a policy and the IP policies it names. Returns its rules in stored form. Throws as `replaceTlsEdgePolicy`. */
export async function checkPolicy(scope: AccountScope, policy: PolicyRules) {
  const { problems, written } = await inTurns(scope.accountId, firstProblems(policy, 1));
  if (written === null) throw problems[0]?.error;
  const { references, ...rules } = written;
  const [unknown] = await unknownReferences(scope, references, 1);
  if (unknown !== undefined) throw unknown.error;
  return rules;
}

/** Runs work after others have had their turn. */
type GoOn = <T>(cost: number, work: () => T) => T | Promise<T>;

/**
 * Finds what is wrong with a policy by the rules of `checkPolicy`: all problems in order, up to `countMax`.
 *
 * @param goOn runs the search for warnings, which come after all errors; null if no warnings are wanted
 */
export async function problemsOfPolicy(
  scope: AccountScope,
  policy: PolicyRules,
  countMax: number,
  goOn: GoOn | null,
): Promise<PolicyProblem[]> {
  const { problems, written } = await inTurns(scope.accountId, firstProblems(policy, countMax));
  if (written === null) return problems;
  // References are looked up last, as they are for saving.
  problems.push(...(await unknownReferences(scope, written.references, countMax)));
  // No warnings for a policy that is too long, because they would cost too much.
  const isWhole = problems.every(({ rule }) => rule !== null);
  if (goOn !== null && isWhole) await addWarnings(problems, policy, countMax, goOn);
  return problems.slice(0, countMax);
}

/** Finds the likely mistakes in a stored policy, up to `countMax`, as `problemsOfPolicy` does. */
export async function warningsOfPolicy(policy: PolicyRules, countMax: number, goOn: GoOn): Promise<PolicyProblem[]> {
  const warnings: PolicyProblem[] = [];
  await addWarnings(warnings, policy, countMax, goOn);
  return warnings;
}

/** Adds warnings about expressions that have no error, until there are enough problems. */
async function addWarnings(
  problems: PolicyProblem[],
  policy: PolicyRules,
  countMax: number,
  goOn: GoOn,
): Promise<void> {
  const wrong = new Set(problems.map(({ error }) => error.field));
  for (const expression of expressionsOf(policy)) {
    if (problems.length >= countMax) return;
    if (wrong.has(expression.field)) continue;
    const warning = await goOn(costOfWarning(expression.text), () => warningAbout(expression));
    if (warning !== null) problems.push(warning);
  }
}

/**
 * Finds where a policy names IP policies that do not belong to this account, up to `countMax`, because a request body
 * has room for 60,000.
 */
async function unknownReferences(
  scope: AccountScope,
  references: readonly IpPolicyReference[],
  countMax: number,
): Promise<PolicyProblem[]> {
  const ids = [...new Set(references.map(({ id }) => id))];
  // A policy that is deleted later counts as a policy without rules (spec, "IP policy"), as for an IP restriction.
  const rows = await ipPolicies.getMany(scope, ids);
  const unknown = new Set(ids.filter((_, index) => rows[index] === null));
  const problems: PolicyProblem[] = [];
  for (const reference of references) {
    if (problems.length >= countMax) break;
    const { field, id } = reference;
    if (unknown.has(id)) problems.push(problemAt(reference, unknownReference(field, 'IP policy', id)));
  }
  return problems;
}
