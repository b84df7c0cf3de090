// Compares a document with what an account has, and makes the changes in a draft, each by its own mutation.

import { getNullableType, isInputObjectType } from 'graphql';
import type { Kind } from '../../domain/values/ids.ts';
import type { JsonObject } from '../../domain/values/json.ts';
import { type Answer, answerIn, type Begun, filtered, isEqual, isReplaced, secretsOf } from './begun-schema.ts';
import { changedEntries, changedFields, hidden, type PlannedField, present, withNames } from './comparing-schema.ts';
import { type Entry, resolved } from './entries-schema.ts';
import type { ConfiguredField, ConfiguredKind } from './kind-schema.ts';
import type { ConfiguredName } from './names-store.ts';
import type { PlannedChange, PlannerOptions, PlannerResult, ShownOnce } from './planned-schema.ts';
import { type ConfiguredState, stateIn } from './state-schema.ts';
import { at, inOrderOfReferences, keyOf, type Step, type Subject, takeSteps } from './steps-schema.ts';

/**
 * Makes the changes of a document in a draft: first deletions, then what refers to nothing that is still to come.
 *
 * @throws as the mutations do, with the path in the document; UNKNOWN_REFERENCE; INVALID_INPUT for objects that refer to each other
 */
export async function planChanges(options: PlannerOptions): Promise<PlannerResult> {
  const { kinds, document, before, names, run, inTurns, prune } = options;
  const changes: PlannedChange[] = [];
  const shownOnce: ShownOnce[] = [];
  const addedNames: ConfiguredName[] = [];
  const removedNames: string[] = [];
  const unchanged: string[] = [];
  let mutations = 0;

  const own = names.filter((one) => one.document === document.name);
  const standing = own.filter(({ objectId }) => before.has(objectId));
  // Names of what was deleted by other means.
  removedNames.push(...own.filter(({ objectId }) => !before.has(objectId)).map(({ objectId }) => objectId));
  const owned = new Map(standing.map((one) => [keyOf(one.kind, one.name), one]));
  const subjects = new Map<string, Subject>();
  /** By kind and name, the ids of the objects of the document that are known already. */
  const ids = new Map<string, string>();
  /** The names of the same objects by their ids. */
  const nameById = new Map<string, string>();
  const know = ({ kind, name }: Entry, id: string) => {
    ids.set(keyOf(kind.kind, name), id);
    nameById.set(id, name);
  };
  const forget = ({ kind, name }: Entry) => {
    const key = keyOf(kind.kind, name);
    nameById.delete(ids.get(key) ?? '');
    ids.delete(key);
  };
  for (const entry of document.entries) {
    const key = keyOf(entry.kind.kind, entry.name);
    const ownedAs = owned.get(key);
    if (ownedAs !== undefined) know(entry, ownedAs.objectId);
    subjects.set(key, { entry, ownedAs, was: ownedAs === undefined ? undefined : before.get(ownedAs.objectId) });
  }
  const resolve = (kind: Kind, name: string) => ids.get(keyOf(kind, name));
  const resolvedValues = (fields: readonly ConfiguredField[], values: JsonObject, path: string): JsonObject =>
    Object.fromEntries(
      fields.flatMap((field) => {
        const { name } = field;
        const value = values[name];
        return value === undefined ? [] : [[name, resolved(field, value, `${path}.${name}`, resolve, kinds)] as const];
      }),
    );

  const mutate = async (
    kind: ConfiguredKind,
    mutation: string,
    input: JsonObject,
    payload: string,
  ): Promise<Answer> => {
    mutations += 1;
    const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input!`;
    const forced = kind.forced.has(mutation) ? { force: true } : {};
    const text = `mutation ($input: ${type}) { done: ${mutation}(input: $input) { ${payload} } }`;
    const { done } = await run(text, { input: { ...input, ...forced } });
    return answerIn(done);
  };
  const objectName = ({ kind }: ConfiguredKind) => `${kind.charAt(0).toLowerCase()}${kind.slice(1)}`;
  const mutateObject = async (kind: ConfiguredKind, mutation: string, input: JsonObject): Promise<Answer> => {
    const payload = `${objectName(kind)} { ${kind.selection} ${mutation === kind.create ? kind.shownOnce.join(' ') : ''} }`;
    return answerIn((await mutate(kind, mutation, input, payload))[objectName(kind)]);
  };
  const wholeIdOf = ({ whole }: Entry) =>
    whole === null ? null : (ids.get(keyOf(whole.kind.kind, whole.name)) ?? null);

  /** The new objects that have been begun. */
  const begun = new Map<Subject, Begun>();

  /** Removes an object from the draft. */
  const remove = async (state: ConfiguredState) => {
    const { kind, id, wholeId } = state;
    const address = kind.deletesByWhole && kind.wholeField !== null ? { [kind.wholeField]: wholeId } : {};
    await mutate(kind, kind.remove, { id, ...address }, 'deletedId');
  };

  /** Sets the modules and lists of an object where they differ, and returns what differs. */
  const setModules = async (
    { entry, was, ownedAs }: Subject,
    id: string,
    isNew: boolean,
    { fields, modules }: Begun,
  ): Promise<Answer | null> => {
    const { kind, path } = entry;
    let now: Answer | null = null;
    const secretsDiffer = isNew || secretsOf(entry) !== (ownedAs?.secrets ?? null);
    for (const module of kind.modules) {
      if (modules.has(module)) continue;
      const said = entry.modules.get(module) ?? [];
      const given = said.map((values, index) => {
        return resolvedValues(
          module.fields,
          values,
          `${path}.${module.name}${module.listField === null ? '' : `[${index}]`}`,
        );
      });
      const had = isNew ? [] : (was?.modules.get(module) ?? []);
      const address = Object.fromEntries(
        module.address.map(({ name, ofWhole }) => [name, ofWhole ? wholeIdOf(entry) : id]),
      );
      const [values] = given;
      if (module.listField !== null) {
        const differs = changedEntries(module, given, had);
        if (differs.length === 0) continue;
        const entries = given.map(present);
        await at(`${path}.${module.name}`, () =>
          mutate(kind, module.replace, { ...address, [module.listField ?? '']: entries }, '__typename'),
        );
        fields.push(...differs);
      } else if (values === undefined) {
        if (had[0] === undefined || module.remove === null) continue;
        now = await mutateObject(kind, module.remove, address);
        fields.push({ field: module.name, before: had[0], after: null });
      } else {
        const differs = changedFields(module.fields, values, had[0]);
        const secrets = secretsDiffer
          ? module.fields.filter(({ isSecret, name }) => isSecret && values[name] != null)
          : [];
        if (had[0] !== undefined && differs.length + secrets.length === 0) continue;
        now = await at(`${path}.${module.name}`, () =>
          mutateObject(kind, module.replace, { ...address, ...present(values) }),
        );
        fields.push(
          ...[
            ...differs,
            ...secrets.map(({ name }) => ({
              field: name,
              before: had[0] === undefined ? null : hidden,
              after: hidden,
            })),
          ].map(({ field, before, after }) => ({ field: `${module.name}.${field}`, before, after })),
        );
        if (differs.length + secrets.length === 0) fields.push({ field: module.name, before: null, after: {} });
      }
      modules.add(module);
    }
    return now;
  };

  /** Creates an object without its modules and lists. */
  const make = async ({ entry, was }: Subject): Promise<Begun> => {
    const { kind, name, path } = entry;
    const given = resolvedValues(kind.fields, entry.values, path);
    const address = kind.wholeField === null ? {} : { [kind.wholeField]: wholeIdOf(entry) };
    const made = await mutateObject(kind, kind.create, { ...present(given), ...address });
    const id = String(made.id);
    know(entry, id);
    for (const field of kind.shownOnce) {
      const value = made[field];
      if (typeof value === 'string') shownOnce.push({ kind: kind.kind, name, field, value });
    }
    const { values } = stateIn(kind, made);
    const differs = changedFields(kind.fields, given, was?.values).map(({ of, ...one }) => ({
      ...one,
      // What is inside an object may be read first, and is shown as it is said.
      after:
        of.selection === null || isInputObjectType(getNullableType(of.type)) ? one.after : (values[one.field] ?? null),
    }));
    const shown = differs.filter(({ before, after, field }) => {
      const of = kind.fields.find((one) => one.name === field);
      return was !== undefined || before !== null || JSON.stringify(after) !== JSON.stringify(of?.default);
    });
    return { id, fields: [...shown], modules: new Set() };
  };

  const create = async (subject: Subject) => {
    const { entry, was } = subject;
    const { kind, name } = entry;
    const done = begun.get(subject) ?? (await make(subject));
    begun.set(subject, done);
    const { id, fields } = done;
    await setModules(subject, id, true, done);
    const action = was === undefined ? 'create' : 'replace';
    changes.push({ action, kind: kind.kind, name, id: was?.id ?? null, fields: withNames(fields, nameById) });
    addedNames.push(nameOf(entry, id));
  };

  const update = async (subject: Subject, was: ConfiguredState) => {
    const { entry, ownedAs } = subject;
    const { kind, name, path } = entry;
    const { id } = was;
    const given = resolvedValues(kind.fields, entry.values, path);
    const secretsDiffer = secretsOf(entry) !== (ownedAs?.secrets ?? null);
    const secret = secretsDiffer ? kind.fields.filter((field) => field.isSecret && given[field.name] != null) : [];
    const differs = [
      ...changedFields(kind.fields, given, was.values),
      ...secret.map((of) => ({ of, field: of.name, before: hidden, after: hidden })),
    ];
    let now: Answer | null = null;
    if (differs.length > 0 && kind.update !== null) {
      const address = kind.updatesByWhole && kind.wholeField !== null ? { [kind.wholeField]: was.wholeId } : {};
      const input = Object.fromEntries(
        differs.map(({ of, field, after }) => [field, of.isSecret ? given[field] : after]),
      );
      now = await mutateObject(kind, kind.update, { ...address, id, ...input });
    }
    // What is set already is set again, should something be in the way, as it is not new.
    const fields: PlannedField[] = differs.map(({ of: _field, ...one }) => one);
    now = (await setModules(subject, id, false, { id, fields, modules: new Set() })) ?? now;
    const secrets = secretsOf(entry);
    if (ownedAs?.secrets !== secrets) {
      removedNames.push(id);
      addedNames.push(nameOf(entry, id));
    }
    const hasLists = kind.modules.some(({ listField }) => listField !== null);
    const isSame =
      now !== null && !hasLists && secrets === (ownedAs?.secrets ?? null) && isEqual(stateIn(kind, now), was);
    if (isSame) unchanged.push(id);
    if (fields.length > 0 && !isSame) {
      changes.push({ action: 'update', kind: kind.kind, name, id, fields: withNames(fields, nameById) });
    }
  };

  /** Changes settings, of which there is one without a name. */
  const set = async ({ entry: { kind, name, path, values } }: Subject) => {
    const was = [...before.values()].find((state) => state.kind.kind === kind.kind);
    const had = was?.values ?? Object.fromEntries(kind.fields.map((field) => [field.name, field.default ?? null]));
    const fields = changedFields(kind.fields, resolvedValues(kind.fields, values, path), had);
    if (fields.length === 0) return;
    await mutateObject(kind, kind.create, Object.fromEntries(fields.map(({ field, after }) => [field, after])));
    const differs = fields.map(({ of: _field, ...one }) => one);
    changes.push({ action: 'update', kind: kind.kind, name, id: was?.id ?? null, fields: differs });
  };

  const wantedIds = new Set(ids.values());
  const gone = standing.filter(({ objectId }) => !wantedIds.has(objectId));
  const replaced = await inTurns(filtered([...subjects.values()], isReplaced));
  const goneIds = new Set([
    ...(prune ? gone.map(({ objectId }) => objectId) : []),
    ...replaced.flatMap(({ was }) => was?.id ?? []),
  ]);
  const isGoneWithWhole = ({ wholeId }: ConfiguredState) => wholeId !== null && goneIds.has(wholeId);
  const steps: Step[] = [];
  // Parts before their wholes, so that each is deleted by itself if its whole stays.
  for (const { objectId, name, kind } of prune ? [...gone].reverse() : []) {
    const state = before.get(objectId);
    if (state === undefined) continue;
    removedNames.push(objectId);
    changes.push({ action: 'delete', kind: state.kind.kind, name, id: objectId, fields: [] });
    if (!isGoneWithWhole(state)) steps.push(() => at(`${kind} ${name}`, () => remove(state)));
  }
  for (const { was, entry } of replaced) {
    if (was === undefined) continue;
    forget(entry);
    removedNames.push(was.id);
    if (!isGoneWithWhole(was)) steps.push(() => at(entry.path, () => remove(was)));
  }
  // What goes with the object that is replaced is created anew with it.
  const isNew = (subject: Subject): boolean =>
    subject.was === undefined || goneIds.has(subject.was.id) || isGoneWithWhole(subject.was);
  for (const subject of await inTurns(inOrderOfReferences([...subjects.values()]))) {
    const { entry, was } = subject;
    if (was !== undefined && isNew(subject) && !goneIds.has(was.id)) {
      forget(entry);
      removedNames.push(was.id);
    }
    const isKept = was !== undefined && !isNew(subject);
    const change = () => (isKept ? update(subject, was) : create(subject));
    steps.push(() => at(entry.path, () => (entry.kind.isSingle ? set(subject) : change())));
  }
  await takeSteps(steps);

  const left = prune
    ? []
    : gone.flatMap(({ objectId, name }) => {
        const state = before.get(objectId);
        return state === undefined ? [] : [{ kind: state.kind.kind, name }];
      });
  return { changes, left, shownOnce, addedNames, removedNames, mutations, unchanged };

  function nameOf(entry: Entry, objectId: string): ConfiguredName {
    return { objectId, document: document.name, kind: entry.kind.kind, name: entry.name, secrets: secretsOf(entry) };
  }
}
