// A route as the adapter runs it: what its document accepts and answers, read once at start. Knows no HTTP.

import { basename, dirname } from 'node:path/posix';
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  validate,
  visit,
} from 'graphql';
import { readVariableDefinitions, type Variable } from '../graphql/variables.ts';
import type { Route } from './route.ts';

/** A route with what its document says. */
export interface Operation {
  readonly route: Route;
  /** Names of the parameters in the path. */
  readonly pathFields: readonly string[];
  /** What the query of a GET, or the body of another method, may hold. */
  readonly inputFields: ReadonlyMap<string, Variable>;
  /** Fields that only the creation of an object accepts. */
  readonly createOnlyFields: ReadonlySet<string>;
  /** Fields of the object that are modules with a route of their own, and the route that sets each. */
  readonly moduleRoutes: ReadonlyMap<string, string>;
  /** Names in the answer. */
  readonly answerFields: ReadonlySet<string>;
  /** Where in the result of the execution the answer stands; null for a route without one. */
  readonly bodyPath: readonly string[] | null;
  /** Gives the REST name of an input that GraphQL calls otherwise: `before_id` for `after`. */
  readonly restNameOf: ReadonlyMap<string, string>;
}

/** The variable that takes the version in the `If-Match` header. */
export const ifMatchField = 'if_match';
/** The field of an answer that becomes its `ETag` header. */
export const etagField = 'etag';
/** The alias of the field that is the answer. */
const bodyAlias = 'body';
/** The alias of the field of the answer that is its `ETag` header. */
export const etagAlias = 'etag';

/**
 * Reads the documents of all routes.
 *
 * @throws Error when a document does not fit the schema or its route: found at start, not by the first client
 */
export function readOperations(routes: readonly Route[], schema: GraphQLSchema): Operation[] {
  const operations = routes.map((route) => readOperation(route, schema));
  return operations.map((operation) => {
    const moduleRoutes = readModuleRoutes(operation.route, routes);
    const { method, path } = operation.route;
    const create =
      method === 'PATCH' && operations.find(({ route }) => route.method === 'POST' && path === `${route.path}/{id}`);
    if (!create) return { ...operation, moduleRoutes };
    const createOnly = [...create.inputFields.keys()].filter((name) => !operation.inputFields.has(name));
    return { ...operation, moduleRoutes, createOnlyFields: new Set(createOnly) };
  });
}

/** Finds the routes that set modules of the object which a route creates or changes. */
function readModuleRoutes({ method, path }: Route, routes: readonly Route[]): Map<string, string> {
  const objectPath = method === 'POST' ? `${path}/{id}` : path;
  const modules = routes.filter((route) => route.method === 'PUT' && dirname(route.path) === objectPath);
  return new Map(modules.map((route) => [basename(route.path), `PUT ${route.path}`]));
}

function readOperation(route: Route, schema: GraphQLSchema): Operation {
  const { method, path, document } = route;
  const fail = (problem: string) => new Error(`${method} ${path}: ${problem}`);
  const [problem] = validate(schema, document);
  if (problem !== undefined) throw fail(problem.message);

  const definition = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (definition === undefined) throw fail('the document has no operation.');
  const fields = new Map(
    readVariableDefinitions(definition, document, schema).map((variable) => [variable.name, variable]),
  );
  const pathFields = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  for (const name of pathFields) {
    if (!fields.delete(name)) throw fail(`the operation has no variable $${name}.`);
  }
  fields.delete(ifMatchField);

  const fragments = new Map(
    document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
  );
  const body = findBody(definition.selectionSet, fragments);
  if (body === null && method !== 'DELETE') throw fail(`the document has no field with the alias "${bodyAlias}".`);
  const answerFields = new Set(fieldsOf(body?.field.selectionSet, fragments).map(responseName));
  answerFields.delete(etagAlias);
  return {
    route,
    pathFields,
    inputFields: fields,
    createOnlyFields: new Set(),
    answerFields,
    moduleRoutes: new Map(),
    bodyPath: body?.path ?? null,
    restNameOf: readRestNames(definition),
  };
}

/** The fragments of a document, by their names. */
export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

function findBody(selectionSet: SelectionSetNode, fragments: Fragments): { path: string[]; field: FieldNode } | null {
  for (const field of fieldsOf(selectionSet, fragments)) {
    const name = responseName(field);
    if (name === bodyAlias) return { path: [name], field };
    const inner = field.selectionSet === undefined ? null : findBody(field.selectionSet, fragments);
    if (inner !== null) return { path: [name, ...inner.path], field: inner.field };
  }
  return null;
}

/** Lists the fields of a selection, with those of its fragments. */
export function fieldsOf(selectionSet: SelectionSetNode | undefined, fragments: Fragments): FieldNode[] {
  return (selectionSet?.selections ?? []).flatMap((node) => {
    if (node.kind === Kind.FIELD) return [node];
    const inner = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value);
    return fieldsOf(inner?.selectionSet, fragments);
  });
}

/** Gives the name that a field has in the answer. */
export function responseName({ alias, name }: FieldNode): string {
  return (alias ?? name).value;
}

/** Finds for each argument and input field the variable that fills it. */
function readRestNames(definition: OperationDefinitionNode): Map<string, string> {
  const names = new Map<string, string>();
  const note = (node: { name: { value: string }; value: { kind: string } }) => {
    if ('name' in node.value && node.value.kind === Kind.VARIABLE) {
      // A node of the kind VARIABLE is a VariableNode; the structural type above does not say so.
      names.set(node.name.value, (node.value.name as { value: string }).value);
    }
  };
  visit(definition, { Argument: note, ObjectField: note });
  return names;
}
