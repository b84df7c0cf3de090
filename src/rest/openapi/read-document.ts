// What the description needs of the document of a route: the type and the selection of its answer, and what it is for.

import {
  type FieldNode,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isNonNullType,
  isObjectType,
  type OperationDefinitionNode,
} from 'graphql';
import { declaredScopes, type Requirement } from '../../graphql/rights.ts';
import { etagAlias, type Fragments, fieldsOf, fragmentsOf, operationOf, responseName } from '../document.ts';
import type { PreparedRoute } from '../prepared-route.ts';

/** What is read of the document of a route. */
export interface ReadDocument {
  readonly definition: OperationDefinitionNode;
  readonly description: string;
  readonly fragments: Fragments;
  /** The scopes that a key needs for the route. */
  readonly scopes: Requirement;
  /** The answer; null for a route without one. */
  readonly answer: {
    readonly name: string;
    readonly description: string;
    readonly type: GraphQLOutputType;
    readonly field: FieldNode;
  } | null;
}

/** Reads the document of a route. Throws `Error` for a document that was not prepared before. */
export function readDocument({ route, bodyPath }: PreparedRoute, schema: GraphQLSchema): ReadDocument {
  const definition = operationOf(route.document);
  const fragments = fragmentsOf(route.document);
  const root = schema.getRootType(definition.operation);
  const steps: { field: FieldNode; definition: GraphQLField<unknown, unknown> }[] = [];
  let parent: unknown = root;
  let selection = definition.selectionSet;
  const [first] = fieldsOf(selection, fragments);
  for (const name of bodyPath ?? (first === undefined ? [] : [responseName(first)])) {
    const field = fieldsOf(selection, fragments).find((node) => responseName(node) === name);
    const found = isObjectType(parent) && field !== undefined ? parent.getFields()[field.name.value] : undefined;
    if (field === undefined || found === undefined) throw new Error(`${route.path}: the document has no ${name}.`);
    steps.push({ field, definition: found });
    parent = getNamedType(found.type);
    selection = field.selectionSet ?? selection;
  }
  const [outer, last] = [steps[0], steps.at(-1)];
  if (outer === undefined || last === undefined) throw new Error(`${route.path}: the document is empty.`);
  const type = getNamedType(last.definition.type);
  return {
    definition,
    fragments,
    scopes: declaredScopes(outer.definition),
    description: descriptionOf(definition, outer.definition, last.definition),
    answer:
      bodyPath === null
        ? null
        : { name: type.name, description: type.description ?? '', type: last.definition.type, field: last.field },
  };
}

/** Tells what a route is for: what the mutation does, or what the answer of the query is. */
function descriptionOf(
  { operation }: OperationDefinitionNode,
  outer: GraphQLField<unknown, unknown>,
  answer: GraphQLField<unknown, unknown>,
): string {
  if (operation === 'mutation') return outer.description ?? '';
  // A part of an object, such as a module, says when it is null; on the REST surface that is a 404, and the type says the rest.
  const { description } = answer === outer || isNonNullType(answer.type) ? answer : getNamedType(answer.type);
  return description ?? '';
}

/** Tells whether the answer has the version of its object. */
export function hasEtag({ answer, fragments }: ReadDocument): boolean {
  return fieldsOf(answer?.field.selectionSet, fragments).some((node) => responseName(node) === etagAlias);
}
