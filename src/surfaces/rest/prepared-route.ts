// Prepares routes for the adapter: reads once at startup what their documents accept and answer. Knows nothing of HTTP.

import { basename, dirname } from 'node:path/posix';
import {
  type FieldNode,
  type GraphQLSchema,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { getOrInsertComputed } from '../../domain/values/maps.ts';
import { snakeCase } from '../../domain/values/snake-case.ts';
import { readVariableDefinitions, type Variable } from '../../graphql/execution/variables.ts';
import {
  bodyAlias,
  etagAlias,
  type Fragments,
  fieldsOf,
  forceField,
  fragmentsOf,
  ifMatchField,
  operationOf,
  responseName,
} from './document.ts';
import { notGivenTest } from './empty-values.ts';
import type { Route } from './route.ts';

/** A field that a route accepts in its query or its body. */
export interface InputField extends Variable {
  /** Returns whether a value in a body stands for "not given". */
  readonly isNotGiven: (value: unknown) => boolean;
  /** The fields of a module, which a body sets together with its object, by their REST names; null for any other field. */
  readonly moduleFields: ReadonlyMap<string, ModuleField> | null;
}

/** A field of a module inside a body. Its `name` begins with that of the module, as errors do: `ip_restriction.ip_policy_ids`. */
export interface ModuleField extends Omit<InputField, 'moduleFields'> {
  readonly graphqlName: string;
}

/** A route, with everything that was read from its document. */
export interface PreparedRoute {
  readonly route: Route;
  /** Names of the parameters in the path. */
  readonly pathFields: readonly string[];
  /** The fields accepted in the query of a GET or DELETE, or in the body of any other method. */
  readonly inputFields: ReadonlyMap<string, InputField>;
  /** Whether the answer is a stream of events. */
  readonly streams: boolean;
  /** Whether the route is a mutation, which accepts an `Idempotency-Key`. */
  readonly changes: boolean;
  /** Whether the route accepts the version that a change is based on, in `If-Match`. */
  readonly takesIfMatch: boolean;
  /** Whether the route accepts the header by which a client insists on a change that locks it out. */
  readonly takesForce: boolean;
  /** Fields that only the creation of an object accepts. */
  readonly createOnlyFields: ReadonlySet<string>;
  /** Fields of the object that are modules with a route of their own, and the route that sets each. */
  readonly moduleRoutes: ReadonlyMap<string, string>;
  readonly answerFields: ReadonlySet<string>;
  /** Path to the answer in the result of the execution; null for a route without an answer. */
  readonly bodyPath: readonly string[] | null;
  /** The REST names of inputs by their GraphQL names, such as `before_id` for `after`. Those of a module begin with its name. */
  readonly restNameOf: ReadonlyMap<string, string>;
}

/** Cache of prepared routes, by schema and route table. */
const known = new WeakMap<GraphQLSchema, WeakMap<readonly Route[], readonly PreparedRoute[]>>();

/**
 * Prepares all routes by reading their documents, once for all servers of a process.
 *
 * @param routes must have documents that fit the schema. A test validates ours, because that took 70 ms of each start (measured).
 * @throws Error if a document does not fit its route, so that this is found at startup rather than by the first client
 */
export function prepareRoutes(routes: readonly Route[], schema: GraphQLSchema): readonly PreparedRoute[] {
  const ofSchema = getOrInsertComputed(known, schema, () => new WeakMap<readonly Route[], readonly PreparedRoute[]>());
  return getOrInsertComputed(ofSchema, routes, () => prepareAll(routes, schema));
}

function prepareAll(routes: readonly Route[], schema: GraphQLSchema): readonly PreparedRoute[] {
  const prepared = routes.map((route) => prepareRoute(route, schema));
  return prepared.map((one) => {
    const moduleRoutes = readModuleRoutes(one.route, routes);
    const { method, path } = one.route;
    const create =
      method === 'PATCH' && prepared.find(({ route }) => route.method === 'POST' && path === `${route.path}/{id}`);
    if (!create) return { ...one, moduleRoutes };
    const createOnly = [...create.inputFields.keys()].filter((name) => !one.inputFields.has(name));
    return { ...one, moduleRoutes, createOnlyFields: new Set(createOnly) };
  });
}

/** Finds the routes that set the modules of the object that a route creates or changes. */
function readModuleRoutes({ method, path }: Route, routes: readonly Route[]): Map<string, string> {
  const objectPath = method === 'POST' ? `${path}/{id}` : path;
  const modules = routes.filter((route) => route.method === 'PUT' && dirname(route.path) === objectPath);
  return new Map(modules.map((route) => [basename(route.path), `PUT ${route.path}`]));
}

function prepareRoute(route: Route, schema: GraphQLSchema): PreparedRoute {
  const { method, path, document } = route;
  const fail = (problem: string) => new Error(`${method} ${path}: ${problem}`);
  const definition = operationOf(document);
  const fields = new Map(
    readVariableDefinitions(definition, document, schema).map((variable): [string, InputField] => [
      variable.name,
      { ...variable, isNotGiven: notGivenTest(method, variable), moduleFields: readModuleFields(variable) },
    ]),
  );
  const pathFields = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  for (const name of pathFields) {
    if (!fields.delete(name)) throw fail(`the operation has no variable $${name}.`);
  }
  const takesIfMatch = fields.delete(ifMatchField);
  const takesForce = fields.delete(forceField);

  const fragments = fragmentsOf(document);
  const body = findBody(definition.selectionSet, fragments);
  if (body === null && method !== 'DELETE') throw fail(`the document has no field with the alias "${bodyAlias}".`);
  const answerFields = new Set(fieldsOf(body?.field.selectionSet, fragments).map(responseName));
  answerFields.delete(etagAlias);
  return {
    route,
    pathFields,
    inputFields: fields,
    streams: definition.operation === OperationTypeNode.SUBSCRIPTION,
    changes: definition.operation === OperationTypeNode.MUTATION,
    takesIfMatch,
    takesForce,
    createOnlyFields: new Set(),
    answerFields,
    moduleRoutes: new Map(),
    bodyPath: body?.path ?? null,
    restNameOf: readRestNames(definition, fields),
  };
}

/**
 * Reads the fields of a module, which is an object in a body: they are what a PUT of the module takes. Or those of each object in a list,
 * if their names differ from those of GraphQL.
 */
function readModuleFields({ name: module, type }: Variable): Map<string, ModuleField> | null {
  const given = getNullableType(type);
  const nullable = getNullableType(isListType(given) ? given.ofType : given);
  if (!isInputObjectType(nullable)) return null;
  const names = Object.keys(nullable.getFields());
  if (isListType(given) && names.every((name) => snakeCase(name) === name)) return null;
  return new Map(
    Object.values(nullable.getFields()).map((field): [string, ModuleField] => {
      const restName = snakeCase(field.name);
      const variable = {
        name: `${module}.${restName}`,
        type: field.type,
        required: isRequiredInputField(field),
        neverNull: isNonNullType(field.type),
        positions: [field],
      };
      return [restName, { ...variable, graphqlName: field.name, isNotGiven: notGivenTest('PUT', variable) }];
    }),
  );
}

function findBody(selectionSet: SelectionSetNode, fragments: Fragments): { path: string[]; field: FieldNode } | null {
  for (const field of fieldsOf(selectionSet, fragments)) {
    const name = responseName(field);
    if (name === bodyAlias) return { path: [name], field };
    const inner = field.selectionSet === undefined ? null : findBody(field.selectionSet, fragments);
    if (inner !== null) return { path: [name, ...inner.path], field: inner.field };
  }
  return null;
}

/** Maps each argument and input field to the variable that fills it, and the fields of modules to theirs. */
function readRestNames(
  definition: OperationDefinitionNode,
  inputFields: ReadonlyMap<string, InputField>,
): Map<string, string> {
  const names = new Map<string, string>();
  const note = (node: { name: { value: string }; value: { kind: string } }) => {
    if ('name' in node.value && node.value.kind === Kind.VARIABLE) {
      // Safe cast: a node of the kind VARIABLE is a VariableNode, which the structural type above does not express.
      names.set(node.name.value, (node.value.name as { value: string }).value);
    }
  };
  visit(definition, { Argument: note, ObjectField: note });
  for (const [graphqlName, restName] of [...names]) {
    for (const field of inputFields.get(restName)?.moduleFields?.values() ?? []) {
      names.set(`${graphqlName}.${field.graphqlName}`, field.name);
    }
  }
  return names;
}
