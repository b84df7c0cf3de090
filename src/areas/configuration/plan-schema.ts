// Plans and applies documents of the configuration. Both try all changes out in a draft of the account; applying then stores the draft.

import { createHash } from 'node:crypto';
import type { GraphQLSchema } from 'graphql';
import { inTurns, type Steps } from '../../domain/concurrency/steps.ts';
import { SallyportError } from '../../domain/errors.ts';
import type { Context } from '../../graphql/kit/context.ts';
import { needsTo, refusalOf } from '../../graphql/wrappers/rights.ts';
import type { AccountDraft } from '../../storage/objects/account-scope.ts';
import { findDraftedChanges, storeDraft, storedObjectsMax } from '../../storage/objects/drafted-changes.ts';
import type { AccessEffect, Effects } from '../../storage/objects/effects.ts';
import { afterFailures, effectsOf, inDraft, withDraft } from './draft-schema.ts';
import { type ConfigurationDocument, readDocument } from './entries-schema.ts';
import type { ConfiguredKind } from './kind-schema.ts';
import { configuredKinds } from './kinds-schema.ts';
import { type ConfiguredName, changeNames, namesInUse, readNames } from './names-store.ts';
import { wholeOf } from './parts-schema.ts';
import type { PlannerResult } from './planned-schema.ts';
import { planChanges } from './planner-schema.ts';
import { readState } from './state-schema.ts';

/** How a document is planned. */
export interface PlanOptions {
  readonly document: unknown;
  /** Whether objects that the document has made, and does not describe any more, are deleted. */
  readonly prune: boolean;
  /** Whether the document takes over objects that no document has, and that an export gives the same names. */
  readonly adopt: boolean;
  /** Whether it is applied although it would lock out the client. */
  readonly force: boolean;
}

/** A plan. */
export interface Plan extends Pick<PlannerResult, 'changes' | 'left'> {
  /** The name of the document. */
  readonly document: string;
  /** How many single requests would make the changes. */
  readonly requests: number;
  /** Whom the changes let in and shut out. */
  readonly access: readonly AccessEffect[];
  /** Why it is refused unless it is forced, in sentences. */
  readonly refusals: readonly { readonly code: string; readonly message: string }[];
  /** Identifies the plan: the same changes of the same objects. */
  readonly digest: string;
}

/** What applying a document has done. */
export interface Applied extends Plan, Pick<PlannerResult, 'shownOnce'> {
  /** The request that did it, by which it can be undone. */
  readonly requestId: string;
}

/**
 * Plans a document without changing anything.
 *
 * @throws as `readDocument` and `planChanges`; UNAVAILABLE if too many plans wait
 */
export function planDocument(context: Context, schema: GraphQLSchema, options: PlanOptions): Promise<Plan> {
  return withDraft(context, schema, async (draft, ends) => (await planIn(draft, context, schema, options, ends)).plan);
}

/**
 * Plans a document and stores its changes: all of them or none, as one change of the account.
 *
 * @param expected the digest of the plan that was agreed to; null to apply what is planned now
 * @throws as `planDocument`; PLAN_OUTDATED if the plan is another one than was expected, LOCKOUT
 */
export function applyDocument(
  context: Context,
  schema: GraphQLSchema,
  options: PlanOptions,
  expected: string | null,
): Promise<Applied> {
  const attempt = () =>
    withDraft(context, schema, async (draft, ends): Promise<Applied> => {
      const { plan, result } = await planIn(draft, context, schema, options, ends);
      if (expected !== null && plan.digest !== expected) throw outdated();
      const [refusal] = result.refusals;
      if (refusal !== undefined && !options.force) throw refusal;
      const drafted = await findDraftedChanges(draft);
      const unchanged = new Set(result.unchanged);
      const objects = drafted.objects.filter(({ id }) => !unchanged.has(id));
      if (objects.length > storedObjectsMax) {
        throw new SallyportError(
          'QUERY_TOO_COMPLEX',
          `The document changes ${objects.length} objects; at most ${storedObjectsMax} are stored together. Apply it in parts, from several documents.`,
        );
      }
      ends.throwIfAborted();
      const applied = { ...plan, shownOnce: result.shownOnce, requestId: context.requestId };
      await storeDraft(context.scope, { ...drafted, objects }, applied, result.acknowledged);
      return applied;
    });
  return afterFailures(attempt, inTheWay);
}

function inTheWay(cause: unknown): SallyportError {
  return new SallyportError(
    'PLAN_OUTDATED',
    'Something that the plan does not show is in its way, such as certificates of an authority, or other changes came between each time. Nothing was changed. Plan it again.',
    { cause },
  );
}

function outdated(): SallyportError {
  return new SallyportError(
    'PLAN_OUTDATED',
    'The account has changed since the plan was made, or the document has: applying it would do something else. Nothing was changed. Plan it again.',
  );
}

/** Plans a document in a draft, which has its changes afterwards. */
async function planIn(
  draft: AccountDraft,
  context: Context,
  schema: GraphQLSchema,
  { document: given, prune, adopt }: PlanOptions,
  ends: AbortSignal,
): Promise<{ plan: Plan; result: PlannerResult & Effects }> {
  const all = configuredKinds(schema);
  const inTurn = <T>(steps: Steps<T>) => inTurns(context.scope.accountId, steps, ends);
  const document = await inTurn(readDocument(all, await inTurn(wholeOf(given))));
  const { scope, run } = inDraft(draft, context, ends);
  const stored = await readNames(scope);
  const names = namesInUse(stored);
  const kinds = concerned(all, document, names);
  const before = await readState(run, kinds, schema);
  const result = await planChanges({ kinds, document, before, names, run, inTurns: inTurn, prune, adopt });
  checkRights(context, kinds, result);
  const { addedNames, removedNames } = result;
  await changeNames(scope, stored, { given: addedNames, taken: removedNames, requestId: context.requestId });
  const { changes, left } = result;
  const effects = changes.length === 0 ? noEffects : await effectsOf(context, scope);
  const { access, refusals } = effects;
  const identity = [scope.accountId, document.name, prune, adopt];
  const versioned = changes.map((change) => [change, change.id === null ? null : before.get(change.id)?.version]);
  const digest = await inTurn(digestOf([identity, ...versioned]));
  const plan = {
    document: document.name,
    changes,
    left,
    access,
    refusals: refusals.map(({ code, message }) => ({ code, message })),
    requests: result.mutations,
    digest,
  };
  return { plan, result: { ...result, ...effects } };
}

/** Makes a digest of values, one in each step. */
function* digestOf(values: readonly unknown[]): Steps<string> {
  const hash = createHash('sha256');
  for (const value of values) {
    // JSON has no line breaks outside of its texts.
    hash.update(`${JSON.stringify(value)}\n`);
    yield;
  }
  return hash.digest('base64url');
}

/** Returns the kinds that a document describes or has described, and their wholes. */
function concerned(
  kinds: readonly ConfiguredKind[],
  document: ConfigurationDocument,
  names: readonly ConfiguredName[],
): ConfiguredKind[] {
  const named = new Set<string>(document.entries.map(({ kind }) => kind.kind));
  for (const name of names) if (name.document === document.name) named.add(name.kind);
  return kinds.filter(
    ({ kind }) => named.has(kind) || kinds.some((part) => part.whole === kind && named.has(part.kind)),
  );
}

/** Checks the rights for what no mutation does: an object that a document takes over can be deleted by it later. Throws FORBIDDEN. */
function checkRights(context: Context, kinds: readonly ConfiguredKind[], { addedNames, changes }: PlannerResult): void {
  const changed = new Set<string>([...addedNames, ...changes].map(({ kind }) => kind));
  const needed = kinds.filter(({ kind }) => changed.has(kind)).map(({ kind }) => needsTo('write', kind));
  const refusal = refusalOf(context, ...needed);
  if (refusal !== null) throw refusal;
}

const noEffects = { access: [], refusals: [], acknowledged: () => {} };
