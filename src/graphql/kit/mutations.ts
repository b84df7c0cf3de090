// The mutations that every kind of object has. Each is registered under its full name, so that a text search finds it. Its result
// is nullable: a change that fails does not discard the results of the others in its document.

import type { InputFieldMap, ObjectRef } from '@pothos/core';
import { invalid, SallyportError } from '../../domain/errors.ts';
import type { Kind } from '../../domain/values/ids.ts';
import { changedObjectCost } from '../../load/limits.ts';
import type { Addressed, ResourceModel } from '../../storage/objects/collection.ts';
import { createObjectReads } from '../../storage/objects/object-reads.ts';
import { answersAgain } from '../wrappers/change-once.ts';
import { needsTo } from '../wrappers/rights.ts';
import { builder } from './builder.ts';
import { type Cost, changeMutation, type InputOf } from './change-mutation.ts';
import type { Context } from './context.ts';
import { afterOthersOfAccount } from './many-changes.ts';
import { addressInput, type InputBuilder, notesInput, type SchemaTypes } from './resource.ts';

/** No fields besides those that the helper adds. */
type None = Record<never, never>;
type NotesFields = ReturnType<typeof notesInput>;
type AddressFields = ReturnType<typeof addressInput>;

/** Makes a change and returns the object as it is afterwards. */
type Resolve<F extends InputFieldMap, R> = (input: InputOf<F>, context: Context) => Promise<R>;

interface MutationOptions<Own extends InputFieldMap, F extends InputFieldMap, R> {
  readonly description: string;
  /** The fields of the input that only this mutation has. */
  readonly input?: (t: InputBuilder) => Own;
  /** The estimated cost, if the mutation does more than write. A function if it depends on the input. */
  readonly cost?: Cost<F>;
  readonly resolve: Resolve<F, R>;
}

/** Adds the mutation that creates an object. Its input ends with the notes. */
export function createMutation<R extends object, Own extends InputFieldMap = None>(
  name: `create${string}`,
  type: ObjectRef<SchemaTypes, R>,
  options: MutationOptions<Own, Own & NotesFields, R>,
): void;
// The implementation is not generic: Pothos cannot follow type parameters.
export function createMutation(
  name: string,
  type: ObjectRef<SchemaTypes, object>,
  { input, ...options }: MutationOptions<InputFieldMap, InputFieldMap, object>,
): void {
  addMutation(name, type, {
    ...options,
    input: (t) => ({ ...input?.(t), ...notesInput(t) }),
    objectDescription: 'The new object.',
  });
}

/** Adds the mutation that updates an object. Its input begins with the address and ends with the notes. */
export function updateMutation<R extends object, Own extends InputFieldMap = None>(
  name: `update${string}`,
  type: ObjectRef<SchemaTypes, R>,
  options: MutationOptions<Own, Own & AddressFields & NotesFields, R>,
): void;
// As above.
export function updateMutation(
  name: string,
  type: ObjectRef<SchemaTypes, object>,
  { input, ...options }: MutationOptions<InputFieldMap, InputFieldMap, object>,
): void {
  addMutation(name, type, {
    ...options,
    input: (t) => ({ ...addressInput(t), ...input?.(t), ...notesInput(t) }),
    inputNote: ' Omitted fields keep their values.',
    objectDescription: 'The updated object.',
  });
}

/** Adds a mutation that moves an object to the next step of its life cycle. Its input begins with the address. */
export function stepMutation<R extends object, Own extends InputFieldMap = None>(
  name: string,
  type: ObjectRef<SchemaTypes, R>,
  options: MutationOptions<Own, Own & AddressFields, R> & { readonly result: string },
): void;
// As above.
export function stepMutation(
  name: string,
  type: ObjectRef<SchemaTypes, object>,
  { input, result, ...options }: MutationOptions<InputFieldMap, InputFieldMap, object> & { readonly result: string },
): void {
  addMutation(name, type, {
    ...options,
    input: (t) => ({ ...addressInput(t), ...input?.(t) }),
    objectDescription: result,
  });
}

/** Options of the two mutations of a module, which is a part of an object. */
interface ModuleOptions<Address extends InputFieldMap, Own extends InputFieldMap, R> {
  /** The fields of both inputs that identify the object of the module. */
  readonly address: (t: InputBuilder) => Address;
  readonly replace: MutationOptions<Own, Address & Own, R> & { readonly name: `replace${string}` };
  readonly delete: MutationOptions<Address, Address, R> & { readonly name: `delete${string}` };
}

/** Adds the mutations that replace and delete a module. Both return the object that the module is a part of. */
export function moduleMutations<R extends object, Address extends InputFieldMap, Own extends InputFieldMap>(
  type: ObjectRef<SchemaTypes, R>,
  options: ModuleOptions<Address, Own, R>,
): void;
// As above.
export function moduleMutations(
  type: ObjectRef<SchemaTypes, object>,
  { address, replace, delete: deletion }: ModuleOptions<InputFieldMap, InputFieldMap, object>,
): void {
  addMutation(replace.name, type, {
    ...replace,
    input: (t) => ({ ...address(t), ...replace.input?.(t) }),
    inputNote: ' Omitted fields get their defaults.',
    objectDescription: 'The object with its new module.',
  });
  addMutation(deletion.name, type, {
    ...deletion,
    input: address,
    objectDescription: 'The object without the module.',
  });
}

interface DeleteOptions<Own extends InputFieldMap> {
  readonly description: string;
  /** The fields that address the object besides its id. */
  readonly input?: (t: InputBuilder) => Own;
  readonly resolve: (input: InputOf<Own & AddressFields>, context: Context) => Promise<void>;
}

/** Adds the mutation that deletes an object of the kind in its name. Its input is the address. */
export function deleteMutation<Own extends InputFieldMap = None>(
  name: `delete${Kind}`,
  options: DeleteOptions<Own>,
): void;
// As above.
export function deleteMutation(name: string, { description, input, resolve }: DeleteOptions<InputFieldMap>): void {
  changeMutation(name, {
    description,
    extensions: { ...needsTo('write', name.slice('delete'.length)), ...answersAgain(({ id }) => ({ id })) },
    input: (t) => ({ ...input?.(t), ...addressInput(t) }),
    resolve: async (given, context) => {
      await resolve(given, context);
      return given;
    },
    answer: (t) => ({ deletedId: t.exposeID('id', { description: 'Identifier of the deleted object.' }) }),
  });
}

/** Most objects that one request deletes together. */
export const deletedTogetherMax = 100;

/** Checks the length of a list of what is changed together. Throws INVALID_INPUT. */
export function checkTogether(field: string, { length }: readonly unknown[], max = deletedTogetherMax): void {
  if (length < 1 || length > max) throw invalid(field, `must have 1 to ${max} entries; it has ${length}.`);
}

const DeletedObjectInput = builder.inputType('DeletedObjectInput', {
  description: 'An object to be deleted together with others.',
  fields: addressInput,
});

interface DeleteManyOptions<Own extends InputFieldMap> {
  readonly description: string;
  /** Fields of the input besides the objects. */
  readonly input: (t: InputBuilder) => Own;
  /**
   * Deletes the objects, all or none.
   *
   * @param remembered what the write remembers of the request (`WriteOptions`)
   */
  readonly resolve: (
    input: InputOf<Own> & { readonly objects: readonly Addressed[] },
    context: Context,
    remembered: object,
  ) => Promise<void>;
}

/** Adds the mutation that deletes several objects of the kind in its name together. */
export function deleteManyMutation<Own extends InputFieldMap>(
  name: `delete${Kind}s`,
  options: DeleteManyOptions<Own>,
): void;
// As above.
export function deleteManyMutation(
  name: string,
  { description, input, resolve }: DeleteManyOptions<InputFieldMap>,
): void {
  changeMutation(name, {
    description: `${description} All are deleted, or none; the trail has an event for each.`,
    extensions: {
      ...needsTo('write', name.slice('delete'.length, -1)),
      ...answersAgain(({ remembered }) => remembered),
    },
    input: (t) => ({
      objects: t.field({
        type: [DeletedObjectInput],
        required: true,
        description: `The objects; 1 to ${deletedTogetherMax}, each once.`,
        extensions: { jsonSchema: { minItems: 1, maxItems: deletedTogetherMax } },
      }),
      ...input(t),
    }),
    cost: ({ objects }) => ({ field: objects.length * changedObjectCost }),
    resolve: async (given, context) => {
      checkTogether('objects', given.objects);
      const answer = { deletedIds: given.objects.map(({ id }) => id) };
      return afterOthersOfAccount(context, async () => {
        await resolve(given, context, answer);
        return answer;
      });
    },
    answer: (t) => ({
      deletedIds: t.exposeIDList('deletedIds', {
        complexity: { multiplier: 1 },
        description: 'Identifiers of the deleted objects, in the order of the input.',
      }),
    }),
  });
}

interface AnyMutation extends MutationOptions<InputFieldMap, InputFieldMap, object> {
  readonly input: (t: InputBuilder) => InputFieldMap;
  readonly inputNote?: string;
  readonly objectDescription: string;
}

/** Declares that a mutation whose change was made before returns the object in its current state. */
export function answersWithObject(model: ResourceModel) {
  const { reads } = createObjectReads(model);
  return answersAgain(async ({ id, remembered }, context) => {
    const [object] = await reads.getMany(context.scope, [id]);
    if (object == null) {
      const message =
        'The change was made before, and its object has been deleted since, so that its answer cannot be repeated.';
      throw new SallyportError('IDEMPOTENCY_ANSWER_LOST', message);
    }
    return { ...object, ...remembered };
  });
}

/** Adds a mutation whose payload has one field, the object, named after its type: `ipPolicy`. */
function addMutation(
  name: string,
  type: ObjectRef<SchemaTypes, object>,
  { objectDescription, ...options }: AnyMutation,
): void {
  const field = `${type.name.charAt(0).toLowerCase()}${type.name.slice(1)}`;
  changeMutation(name, {
    ...options,
    // A type that can be changed is named after its model.
    extensions: { ...needsTo('write', type.name), ...answersWithObject(type.name as ResourceModel) },
    answer: (t) => ({ [field]: t.field({ type, description: objectDescription, resolve: (object) => object }) }),
  });
}
