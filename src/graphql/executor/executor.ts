// Executes the plan of an operation (GraphQL, section 6), with the same result as GraphQL.js: a test compares them. It is faster
// because everything that does not depend on the request was looked up before, and plain properties of rows need no path.

import {
  defaultFieldResolver,
  defaultTypeResolver,
  type ExecutionResult,
  type GraphQLAbstractType,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  isObjectType,
  locatedError,
  OperationTypeNode,
  responsePathAsArray,
} from 'graphql';
import { isPromise } from '../../domain/concurrency/at-once.ts';
import { withoutTrace } from '../../domain/errors.ts';
import { chargeProperty } from '../wrappers/counting.ts';
import { readArguments, type Variables } from './arguments.ts';
import type { Completion, Plan, PlannedField, PlannedSelection } from './plan.ts';

type Path = GraphQLResolveInfo['path'];
type Answer = Record<string, unknown>;
type Composite<K extends Completion['kind']> = Extract<Completion, { kind: K }>;

/** Executes an operation by its plan. Never rejects: errors are in the result. */
export async function executePlan(
  plan: Plan,
  rootValue: unknown,
  context: unknown,
  variables: Variables,
): Promise<ExecutionResult> {
  const execution = new Execution(plan, rootValue, context, variables);
  try {
    return execution.result(await execution.operation());
  } catch (error) {
    execution.note(error, undefined);
    return execution.result(null);
  }
}

class Execution {
  readonly #plan: Plan;
  readonly #rootValue: unknown;
  readonly #context: unknown;
  readonly #variables: Variables;
  readonly #errors: GraphQLError[] = [];
  /** Paths at which an error has left null; undefined for the whole answer. */
  readonly #nulls = new Set<Path | undefined>();

  constructor(plan: Plan, rootValue: unknown, context: unknown, variables: Variables) {
    this.#plan = plan;
    this.#rootValue = rootValue;
    this.#context = context;
    this.#variables = variables;
  }

  operation(): unknown {
    const selection = this.#plan.root();
    return this.#plan.operation.operation === OperationTypeNode.MUTATION
      ? this.#serially(selection)
      : this.#fields(selection, this.#rootValue, undefined);
  }

  result(data: unknown): ExecutionResult {
    // Safe cast: the data of an operation is an object or null.
    const answer = { data: data as Answer | null };
    return this.#errors.length === 0 ? answer : { errors: this.#errors, ...answer };
  }

  /** Notes an error, unless it is beneath a null: its path would not exist in the answer. */
  note(error: unknown, path: Path | undefined): void {
    if (this.#nulls.size > 0) {
      for (let at = path; at !== undefined; at = at.prev) if (this.#nulls.has(at)) return;
      if (this.#nulls.has(undefined)) return;
    }
    this.#nulls.add(path);
    this.#errors.push(error instanceof GraphQLError ? error : locatedError(error, undefined));
  }

  async #serially({ fields, blank }: PlannedSelection): Promise<Answer> {
    const answer = { ...blank };
    for (const field of fields) answer[field.name] = await this.#field(field, this.#rootValue, undefined);
    return answer;
  }

  #fields({ fields, blank }: PlannedSelection, source: unknown, path: Path | undefined): Answer | Promise<Answer> {
    const answer = { ...blank };
    let waiting: { readonly names: string[]; readonly values: Promise<unknown>[] } | null = null;
    try {
      for (const field of fields) {
        const value = this.#field(field, source, path);
        answer[field.name] = value;
        if (!isPromise(value)) continue;
        waiting ??= { names: [], values: [] };
        waiting.names.push(field.name);
        waiting.values.push(value);
      }
    } catch (error) {
      if (waiting === null) throw error;
      // Handles rejections of the other fields, which nothing else would.
      const fail = () => {
        throw error;
      };
      return Promise.all(waiting.values).then(fail, fail);
    }
    if (waiting === null) return answer;
    const { names, values } = waiting;
    return Promise.all(values).then((settled) => {
      for (const [index, name] of names.entries()) answer[name] = settled[index];
      return answer;
    });
  }

  #field(field: PlannedField, source: unknown, parent: Path | undefined): unknown {
    if (field.constant !== undefined) return field.constant;
    const { completion, resolve, isCountedProperty, name, parentType } = field;
    if ((resolve === undefined || isCountedProperty) && completion.kind === 'leaf') {
      try {
        const value = propertyOf(source, field.field.name);
        // A function is called as a resolver, below.
        if (typeof value !== 'function' && !isPromise(value)) {
          if (isCountedProperty) chargeProperty(this.#context, this.#plan.operation, value);
          return this.#leaf(field, completion, value);
        }
      } catch (error) {
        return this.#failed(error, field, completion, { prev: parent, key: name, typename: parentType.name });
      }
    }
    const path = { prev: parent, key: name, typename: parentType.name };
    try {
      const info = this.#info(field, path);
      const args = readArguments(field, this.#variables);
      const value = (resolve ?? defaultFieldResolver)(source, args, this.#context, info);
      const completed = isPromise(value)
        ? value.then((settled) => this.#complete(field, completion, info, path, settled))
        : this.#complete(field, completion, info, path, value);
      if (!isPromise(completed)) return completed;
      return completed.then(undefined, (error: unknown) => this.#failed(error, field, completion, path));
    } catch (error) {
      return this.#failed(error, field, completion, path);
    }
  }

  #info({ field, nodes, parentType }: PlannedField, path: Path): GraphQLResolveInfo {
    const { schema, fragments, operation } = this.#plan;
    return {
      fieldName: field.name,
      fieldNodes: nodes,
      returnType: field.type,
      parentType,
      path,
      schema,
      fragments,
      rootValue: this.#rootValue,
      operation,
      variableValues: this.#variables,
    };
  }

  /** Notes the error of a nullable field or list item, and returns null. Throws the error if the field or item is non-null. */
  #failed(error: unknown, { nodes }: PlannedField, { isNonNull }: Completion, path: Path): null {
    const located = withoutTrace(() => locatedError(error, nodes, responsePathAsArray(path)));
    if (isNonNull) throw located;
    this.note(located, path);
    return null;
  }

  #complete(
    field: PlannedField,
    completion: Completion,
    info: GraphQLResolveInfo,
    path: Path,
    value: unknown,
  ): unknown {
    if (completion.kind === 'leaf') return this.#leaf(field, completion, value);
    if (value instanceof Error) throw value;
    if (value == null) return nullOf(field, completion);
    switch (completion.kind) {
      case 'list':
        return this.#list(field, completion, info, path, value);
      case 'object':
        return this.#object(field, completion.type, info, path, value);
      case 'abstract':
        return this.#abstract(field, completion, info, path, value);
    }
  }

  #leaf(field: PlannedField, completion: Composite<'leaf'>, value: unknown): unknown {
    if (value == null) return nullOf(field, completion);
    if (value instanceof Error) throw value;
    const { type } = completion;
    const serialized = type.serialize(value);
    if (serialized == null) throw new Error(`${type.name} has no form for what ${nameOf(field)} is.`);
    return serialized;
  }

  #list(
    field: PlannedField,
    { item }: Composite<'list'>,
    info: GraphQLResolveInfo,
    path: Path,
    values: unknown,
  ): unknown[] | Promise<unknown[]> {
    if (!isIterable(values)) {
      throw new GraphQLError(`Expected Iterable, but did not find one for field "${nameOf(field)}".`);
    }
    const completed: unknown[] = [];
    let isWaiting = false;
    try {
      for (const value of values) {
        const itemPath = { prev: path, key: completed.length, typename: undefined };
        const one = this.#item(field, item, info, itemPath, value);
        completed.push(one);
        isWaiting ||= isPromise(one);
      }
    } catch (error) {
      // Handles rejections of the other items, which nothing else would.
      if (isWaiting) void Promise.allSettled(completed);
      throw error;
    }
    return isWaiting ? Promise.all(completed) : completed;
  }

  #item(field: PlannedField, item: Completion, info: GraphQLResolveInfo, path: Path, value: unknown): unknown {
    try {
      const completed = isPromise(value)
        ? value.then((settled) => this.#complete(field, item, info, path, settled))
        : this.#complete(field, item, info, path, value);
      if (!isPromise(completed)) return completed;
      return completed.then(undefined, (error: unknown) => this.#failed(error, field, item, path));
    } catch (error) {
      return this.#failed(error, field, item, path);
    }
  }

  #abstract(
    field: PlannedField,
    { type }: Composite<'abstract'>,
    info: GraphQLResolveInfo,
    path: Path,
    value: unknown,
  ): unknown {
    const name = (type.resolveType ?? defaultTypeResolver)(value, this.#context, info, type);
    if (!isPromise(name)) return this.#object(field, this.#typeNamed(name, field, type), info, path, value);
    return name.then((settled) => this.#object(field, this.#typeNamed(settled, field, type), info, path, value));
  }

  #typeNamed(name: unknown, field: PlannedField, abstract: GraphQLAbstractType): GraphQLObjectType {
    const { schema } = this.#plan;
    const type = typeof name === 'string' ? schema.getType(name) : undefined;
    if (isObjectType(type) && schema.isSubType(abstract, type)) return type;
    throw new GraphQLError(`${nameOf(field)} returned an object that is not of type ${abstract.name}.`, {
      nodes: field.nodes,
    });
  }

  #object(
    field: PlannedField,
    type: GraphQLObjectType,
    info: GraphQLResolveInfo,
    path: Path,
    value: unknown,
  ): Answer | Promise<Answer> {
    const selection = this.#plan.selectionOf(field, type);
    const isOfType = type.isTypeOf === undefined || type.isTypeOf === null || type.isTypeOf(value, this.#context, info);
    if (!isPromise(isOfType)) return this.#fields(selectionIf(isOfType, selection, field), value, path);
    return isOfType.then((settled) => this.#fields(selectionIf(settled, selection, field), value, path));
  }
}

/** Returns the selection. Throws if the object is not of the type. */
function selectionIf(isOfType: boolean, selection: PlannedSelection, field: PlannedField): PlannedSelection {
  if (isOfType) return selection;
  throw new GraphQLError(`${nameOf(field)} returned an object that is not of its type.`, { nodes: field.nodes });
}

/** Returns null. Throws if the type is non-null. */
function nullOf(field: PlannedField, { isNonNull }: Completion): null {
  if (isNonNull) throw new Error(`Cannot return null for non-nullable field ${nameOf(field)}.`);
  return null;
}

function nameOf({ parentType, field }: PlannedField): string {
  return `${parentType.name}.${field.name}`;
}

function propertyOf(source: unknown, name: string): unknown {
  // Safe cast: a non-null object.
  return typeof source === 'object' && source !== null ? (source as Record<string, unknown>)[name] : undefined;
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}
