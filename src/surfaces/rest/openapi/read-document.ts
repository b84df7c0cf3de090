// Reads what the description needs from the document of a route: its purpose, and the type and selection of its answer.

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
import { declaredScopes, type Requirement } from '../../../graphql/wrappers/rights.ts';
import { etagAlias, type Fragments, fieldsOf, fragmentsOf, operationOf, responseName } from '../document.ts';
import type { PreparedRoute } from '../prepared-route.ts';

/** The relevant contents of the document of a route. */
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

/** Reads the document of a route. Throws `Error` if the document does not fit its prepared route. */
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

/** Returns the description of a route: that of the mutation, or that of the answer of a query. */
function descriptionOf(
  { operation }: OperationDefinitionNode,
  outer: GraphQLField<unknown, unknown>,
  answer: GraphQLField<unknown, unknown>,
): string {
  if (operation === 'mutation') return outer.description ?? '';
  // The description of a nullable field, such as a module, tells when it is null. In REST that is a 404, so use that of its type.
  const { description } = answer === outer || isNonNullType(answer.type) ? answer : getNamedType(answer.type);
  return description ?? '';
}

/** Returns whether the answer has the version of its object. */
export function hasEtag({ answer, fragments }: ReadDocument): boolean {
  return fieldsOf(answer?.field.selectionSet, fragments).some((node) => responseName(node) === etagAlias);
}
