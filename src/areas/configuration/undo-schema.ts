// Takes back everything that one request has changed, or says what that would do: tried out in a draft, as documents are, and then
// stored, all of it or nothing.

import { type GraphQLSchema, getNamedType, isInputObjectType } from 'graphql';
import { notFound, SallyportError } from '../../domain/errors.ts';
import { isKind } from '../../domain/values/ids.ts';
import type { Context } from '../../graphql/kit/context.ts';
import { needsTo, refusalOf } from '../../graphql/wrappers/rights.ts';
import { type AccountDraft, type AccountScope, forced } from '../../storage/objects/account-scope.ts';
import { findDraftedChanges, storeDraft } from '../../storage/objects/drafted-changes.ts';
import type { Effects } from '../../storage/objects/effects.ts';
import { namingMissing, type Restorers } from '../../storage/objects/restoring.ts';
import { isVersionConflict } from '../../storage/objects/version-conflict.ts';
import { loadParts } from '../parts.ts';
import { afterFailures, draftedKinds, effectsOf, inDraft, withDraft } from './draft-schema.ts';
import type { ConfiguredKind } from './kind-schema.ts';
import { configuredKinds } from './kinds-schema.ts';
import { type ConfiguredName, undoNames } from './names-store.ts';
import type { Run } from './state-schema.ts';
import { takeSteps } from './steps-schema.ts';
import { changedSince, notRestorable, readUndone, refuseOtherDeletions, type UndoneObject } from './undo-store.ts';

/** What was undone. */
export interface Undone {
  /** The request that has undone it, which can be undone itself. */
  readonly requestId: string;
  readonly objects: readonly Pick<UndoneObject, 'action' | 'kind' | 'id' | 'name'>[];
}

/** The restorers of all areas. */
const restorers: Restorers = Object.assign({}, ...(await loadParts('restorers')).map((part) => part.restorers));

/** What undoing a request would do. */
export interface UndoPlan extends Pick<Undone, 'objects'> {
  /** Why it is refused unless it is forced. */
  readonly refusals: readonly Pick<SallyportError, 'code' | 'message'>[];
}

/**
 * Finds out what undoing a request would do, without changing anything.
 *
 * @throws as `undoRequest`, besides what can be forced
 */
export function planUndo(context: Context, schema: GraphQLSchema, requestId: string): Promise<UndoPlan> {
  return withDraft(context, schema, async (draft, ends): Promise<UndoPlan> => {
    const { objects, refusals } = await undoIn(draft, context, schema, requestId, ends);
    return { objects, refusals: refusals.map(({ code, message }) => ({ code, message })) };
  });
}

/**
 * Takes back everything that a request has changed.
 *
 * @throws as `readUndone`; NOT_FOUND for a request that has changed nothing, or nothing that is known any more; NOT_RESTORABLE for what
 *   cannot come back; LOCKOUT and EXPECTATION_FAILED unless forced; FORBIDDEN; as restorations, such as UNKNOWN_REFERENCE for what
 *   another request has deleted
 */
export function undoRequest(
  context: Context,
  schema: GraphQLSchema,
  requestId: string,
  force: boolean,
): Promise<Undone> {
  return afterFailures(
    () =>
      withDraft(context, schema, async (draft, ends): Promise<Undone> => {
        const { objects, refusals, acknowledged } = await undoIn(draft, context, schema, requestId, ends);
        const [first] = refusals;
        if (first !== undefined && !force) throw first;
        const undone = { requestId: context.requestId, objects };
        await storeDraft(context.scope, await findDraftedChanges(draft), undone, acknowledged);
        return undone;
      }),
    changedMeanwhile,
  );
}

/** Undoes a request in a draft, and finds what that does. Throws as `undoRequest`. */
async function undoIn(
  draft: AccountDraft,
  context: Context,
  schema: GraphQLSchema,
  requestId: string,
  ends: AbortSignal,
): Promise<Pick<Undone, 'objects'> & Effects> {
  // After the draft is open, so that what is newer than it is seen here, or when it is stored.
  const objects = await readUndone(context.scope, requestId, ends);
  const { scope, run } = inDraft(draft, context, ends);
  const released = await undoNames(scope, requestId, context.requestId);
  if (objects.length + released.length === 0) throw notFound();
  const kinds = [...new Set([...objects, ...released].map(({ kind }) => kind))];
  const refusal = refusalOf(context, ...kinds.map((kind) => needsTo('write', kind)));
  if (refusal !== null) throw refusal;
  await undoAll(scope, run, context, schema, objects);
  await refuseOtherDeletions(scope, objects, ends);
  const isUndone = new Set(objects.map(({ id }) => id));
  return {
    objects: [
      ...objects.map(({ action, kind, id, name }) => ({ action, kind, id, name })),
      ...released.filter(({ objectId }) => !isUndone.has(objectId)).map(releasing),
    ],
    ...(await effectsOf(context, scope)),
  };
}

function releasing({ kind, objectId, name }: ConfiguredName): Undone['objects'][number] {
  return { action: 'release', kind, id: objectId, name: JSON.stringify(name) };
}

function changedMeanwhile(): SallyportError {
  const message =
    'Something else has changed in the account each time that it was tried. Nothing was undone. Retry in a few seconds.';
  return new SallyportError('CHANGED_SINCE', message);
}

/** Undoes changes in a draft: the last first, and those that something is in the way of again after the others. */
async function undoAll(
  scope: AccountScope,
  run: Run,
  { identity, signal, scope: account }: Context,
  schema: GraphQLSchema,
  objects: readonly UndoneObject[],
): Promise<void> {
  const configured = configuredKinds(schema);
  const drafted = new Set(draftedKinds(configured));
  const settings = configured.filter(({ isSingle }) => isSingle);
  const { rights, personId } = identity;
  // What it does to whom is looked at when all is done.
  const acting = { scope: forced(scope), trail: account, rights, personId };
  const restoring = { ...acting, lockout: null, writes: () => {}, signal: signal() };
  const undo = async ({ action, kind, id, title, version, parentId, state, deleted }: UndoneObject) => {
    const { update, recreate = 'Nothing of its kind can.' } = (isKind(kind) ? restorers[kind] : undefined) ?? {};
    if (!drafted.has(kind)) throw notRestorable(`${title} is nothing that documents describe: put it back by itself.`);
    const setting = settings.find((one) => one.kind === kind);
    if (action === 'delete' && setting !== undefined) await run(...toDefaults(setting));
    else if (action === 'delete') await run(...deletion(schema, { kind, id, version, parentId }));
    else if (state === null || update === undefined) throw notRestorable(`${title} cannot be put back.`);
    else if (deleted === null) await update(restoring, { id, state }, version);
    else if (typeof recreate === 'string') throw notRestorable(`${title} cannot be put back. ${recreate}`);
    else await recreate(restoring, { ...deleted, state });
  };
  const steps = objects
    .filter(({ isWithWhole }) => !isWithWhole)
    .map((object) => async () => {
      try {
        await namingMissing(
          account,
          () => object.title,
          () => undo(object),
        );
      } catch (error) {
        throw isVersionConflict(error) ? changedSince(object.title) : naming(object, error);
      }
    });
  await takeSteps(steps);
}

/** Returns an error that names the object that it is about: the input names only the request. */
function naming({ title }: UndoneObject, error: unknown): unknown {
  if (!(error instanceof SallyportError)) return error;
  const { code, message } = error;
  const isNamed = code === 'UNKNOWN_REFERENCE' || message.startsWith(title);
  return new SallyportError(code, isNamed ? message : `${title} cannot be put back: ${message}`);
}

/** Writes the mutation by which settings, which cannot be deleted, are what they are without having ever been set. */
function toDefaults({ kind, update, fields }: ConfiguredKind): [string, Readonly<Record<string, unknown>>] {
  const text = `mutation ($input: Update${kind}Input!) { ${update}(input: $input) { __typename } }`;
  return [text, { input: Object.fromEntries(fields.map((field) => [field.name, field.default])) }];
}

/** Writes the mutation that deletes an object, if it has the version. */
function deletion(
  schema: GraphQLSchema,
  { kind, id, version, parentId }: Pick<UndoneObject, 'kind' | 'id' | 'version' | 'parentId'>,
): [text: string, variables: Readonly<Record<string, unknown>>] {
  const type = schema.getType(`Delete${kind}Input`);
  const fields = isInputObjectType(type) ? Object.values(type.getFields()) : [];
  const values: Readonly<Record<string, unknown>> = { id, expectedVersion: version, force: true };
  const given = fields.flatMap(({ name, type: of }) => {
    if (values[name] !== undefined) return [[name, values[name]] as const];
    return getNamedType(of).name === 'ID' ? [[name, parentId] as const] : [];
  });
  const text = `mutation ($input: Delete${kind}Input!) { delete${kind}(input: $input) { deletedId } }`;
  return [text, { input: Object.fromEntries(given) }];
}
