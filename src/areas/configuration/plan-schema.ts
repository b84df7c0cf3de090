// Plans and applies documents of the configuration. Both try all changes out in a draft of the account; applying then stores the draft.

import { createHash } from 'node:crypto';
import type { GraphQLSchema } from 'graphql';
import { inTurns, type Steps } from '../../domain/concurrency/steps.ts';
import { SallyportError } from '../../domain/errors.ts';
import type { Context } from '../../graphql/kit/context.ts';
import { needsTo, refusalOf } from '../../graphql/wrappers/rights.ts';
import type { AccountDraft } from '../../storage/objects/account-scope.ts';
import {
  type DraftedChanges,
  findDraftedChanges,
  storeDraft,
  storedObjectsMax,
} from '../../storage/objects/drafted-changes.ts';
import type { AccessEffect, Effects } from '../../storage/objects/effects.ts';
import { sayWhatItDoes } from '../../storage/objects/second-person.ts';
import { type Asking, createAsking } from './asking-schema.ts';
import { afterFailures, effectsOf, inDraft, withDraft } from './draft-schema.ts';
import { type ConfigurationDocument, readDocument } from './entries-schema.ts';
import { findUnowned } from './importing-schema.ts';
import type { ConfiguredKind } from './kind-schema.ts';
import { configuredKinds } from './kinds-schema.ts';
import { type ConfiguredName, changeNames, namesInUse, readNames, type StoredName } from './names-store.ts';
import { wholeOf } from './parts-schema.ts';
import type { PlannerResult } from './planned-schema.ts';
import { planChanges } from './planner-schema.ts';
import { type ConfiguredState, readState } from './state-schema.ts';

/** Changes of a document that whoever approves it is shown; the digest stands for all of them. */
const shownChangesMax = 200;

/** How a document is planned. */
export interface PlanOptions {
  readonly document: unknown;
  /** Whether objects that the document has made, and does not describe any more, are deleted. */
  readonly prune: boolean;
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
  /** The addresses of servers of others that applying it asks first. */
  readonly asks: readonly string[];
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

/** What importing a document has done. */
export interface Imported {
  /** What belongs to the document from now on. */
  readonly objects: readonly { readonly kind: string; readonly name: string; readonly id: string }[];
  /** What differs between them and what the document says. */
  readonly plan: Plan;
  /** The request that did it, by which it can be undone. */
  readonly requestId: string;
}

/**
 * Plans a document without changing anything.
 *
 * @throws as `readDocument` and `planChanges`; UNAVAILABLE if too many plans wait
 */
export function planDocument(context: Context, schema: GraphQLSchema, options: PlanOptions): Promise<Plan> {
  return withDraft(context, schema, async (draft, ends) => {
    const read = await readIn(draft, context, schema, options.document, ends, createAsking(context));
    const { plan, result } = await planIn(read, options.prune);
    await findChanges(draft, result);
    return plan;
  });
}

/**
 * Plans a document and stores its changes: all of them or none, as one change of the account. What servers of others have to say about
 * it is asked before, and the document then planned again with their answers.
 *
 * @param expected the digest of the plan that was agreed to; null to apply what is planned now
 * @throws as `planDocument`; PLAN_OUTDATED if the plan is another one than was expected, LOCKOUT; what servers are asked for in vain, as
 *   the mutations do
 */
export async function applyDocument(
  context: Context,
  schema: GraphQLSchema,
  options: PlanOptions,
  expected: string | null,
): Promise<Applied> {
  const asking = createAsking(context);
  const attempt = () =>
    withDraft(context, schema, async (draft, ends): Promise<Applied | null> => {
      const { plan, result } = await planIn(
        await readIn(draft, context, schema, options.document, ends, asking),
        options.prune,
      );
      if (expected !== null && plan.digest !== expected) throw outdated();
      const [refusal] = result.refusals;
      if (refusal !== undefined && !options.force) throw refusal;
      if (asking.isOpen()) return null;
      const drafted = await findChanges(draft, result);
      ends.throwIfAborted();
      const applied = { ...plan, shownOnce: result.shownOnce, requestId: context.requestId };
      const { digest, access, refusals } = plan;
      // Their messages can have the IDs of new objects, which are others each time.
      const overrides = refusals.map(({ code }) => code);
      // An approval covers what it does now, and nothing that the same document comes to mean later.
      const changes = plan.changes.slice(0, shownChangesMax);
      sayWhatItDoes(context.scope, { digest, changes, changeCount: plan.changes.length, access, overrides });
      await storeDraft(context.scope, drafted, applied, result.acknowledged);
      return applied;
    });
  // Each question is asked once, and there are only so many.
  for (;;) {
    const applied = await afterFailures(attempt, inTheWay);
    if (applied !== null) return applied;
    await asking.ask(context.signal());
  }
}

/** Finds what a document changes. Throws QUERY_TOO_COMPLEX if that is more than can be stored together. */
async function findChanges(draft: AccountDraft, result: PlannerResult): Promise<DraftedChanges> {
  const drafted = await findDraftedChanges(draft);
  const unchanged = new Set(result.unchanged);
  const objects = drafted.objects.filter(({ id }) => !unchanged.has(id));
  if (objects.length > storedObjectsMax) {
    throw new SallyportError(
      'QUERY_TOO_COMPLEX',
      `The document changes ${objects.length} objects; at most ${storedObjectsMax} are stored together. Apply it in parts, from several documents.`,
    );
  }
  return { ...drafted, objects };
}

/**
 * Gives objects that belong to no document to this one, and changes nothing else.
 *
 * @throws as `planDocument`
 */
export function importDocument(context: Context, schema: GraphQLSchema, document: unknown): Promise<Imported> {
  const { requestId } = context;
  const attempt = () =>
    withDraft(context, schema, async (draft, ends): Promise<Imported> => {
      const read = await readIn(draft, context, schema, document, ends, createAsking(context));
      const { kinds, scope, before, stored, inTurn } = read;
      const found = await inTurn(findUnowned(kinds, read.document, before, namesInUse(stored)));
      checkRights(context, kinds, found);
      await changeNames(scope, stored, { given: found, taken: [], requestId });
      const drafted = await findDraftedChanges(draft);
      const { plan } = await planIn({ ...read, stored: await readNames(scope) }, false);
      const objects = found.map(({ kind, name, objectId }) => ({ kind, name, id: objectId }));
      const imported = { objects, plan, requestId };
      await storeDraft(context.scope, drafted, imported);
      return imported;
    });
  return afterFailures(attempt, inTheWay);
}

function inTheWay(): SallyportError {
  return new SallyportError(
    'PLAN_OUTDATED',
    'Something that the plan does not show is in its way, such as certificates of an authority, or other changes came between each time. Nothing was changed. Plan it again.',
  );
}

function outdated(): SallyportError {
  return new SallyportError(
    'PLAN_OUTDATED',
    'The account has changed since the plan was made, or the document has: applying it would do something else. Nothing was changed. Plan it again.',
  );
}

/** A document in a draft, with all that its plan starts from. */
interface Read extends ReturnType<typeof inDraft> {
  readonly context: Context;
  readonly document: ConfigurationDocument;
  readonly kinds: readonly ConfiguredKind[];
  readonly before: ReadonlyMap<string, ConfiguredState>;
  /** The names of all documents. */
  readonly stored: readonly StoredName[];
  readonly asking: Asking;
  readonly inTurn: <T>(steps: Steps<T>) => Promise<T>;
}

async function readIn(
  draft: AccountDraft,
  context: Context,
  schema: GraphQLSchema,
  given: unknown,
  ends: AbortSignal,
  asking: Asking,
): Promise<Read> {
  const all = configuredKinds(schema);
  const inTurn = <T>(steps: Steps<T>) => inTurns(context.scope.accountId, steps, ends);
  const document = await inTurn(readDocument(all, await inTurn(wholeOf(given))));
  const { scope, run } = inDraft(draft, context, ends, asking);
  const stored = await readNames(scope);
  const kinds = concerned(all, document, namesInUse(stored));
  return { context, document, kinds, before: await readState(run, kinds, schema), stored, asking, inTurn, scope, run };
}

/** Plans a document in a draft, which has its changes afterwards. */
async function planIn(read: Read, prune: boolean): Promise<{ plan: Plan; result: PlannerResult & Effects }> {
  const { context, document, kinds, before, stored, asking, inTurn, scope, run } = read;
  const names = namesInUse(stored);
  const result = await planChanges({ kinds, document, before, names, run, inTurns: inTurn, prune });
  checkRights(context, kinds, [...result.addedNames, ...result.changes]);
  const { addedNames, removedNames } = result;
  await changeNames(scope, stored, { given: addedNames, taken: removedNames, requestId: context.requestId });
  const { changes, left } = result;
  const effects = changes.length === 0 ? noEffects : await effectsOf(context, scope);
  const { access, refusals } = effects;
  const identity = [scope.accountId, document.name, prune];
  const versioned = changes.map((change) => [change, change.id === null ? null : before.get(change.id)?.version]);
  const digest = await inTurn(digestOf([identity, ...versioned]));
  const plan = {
    document: document.name,
    changes,
    left,
    access,
    refusals: refusals.map(({ code, message }) => ({ code, message })),
    requests: result.mutations,
    asks: asking.addresses(),
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
function checkRights(
  context: Context,
  kinds: readonly ConfiguredKind[],
  changed: readonly { readonly kind: string }[],
): void {
  const names = new Set(changed.map(({ kind }) => kind));
  const needed = kinds.filter(({ kind }) => names.has(kind)).map(({ kind }) => needsTo('write', kind));
  const refusal = refusalOf(context, ...needed);
  if (refusal !== null) throw refusal;
}

const noEffects = { access: [], refusals: [], acknowledged: () => {} };
