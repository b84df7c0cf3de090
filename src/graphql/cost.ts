// What an operation may cost: found out before anything of it is executed.

import { complexityFromQuery } from '@pothos/plugin-complexity';
import { type DocumentNode, getOperationAST, isEnumType, type TypeNode } from 'graphql';
import { SallyportError } from '../domain/errors.ts';
import type { Context } from './context.ts';
import { queryCostMax, queryDepthMax, queryFieldsMax } from './limits.ts';
import { schema } from './schema.ts';

type Variables = Readonly<Record<string, unknown>>;

/** Verdicts kept for a document. A dashboard asks for few sizes of pages; who asks for many has each counted. */
const verdictsMax = 16;

// Why a document is refused, or null, by what of a request the cost depends on. Documents that come again are the same
// objects, as long as `documents.ts` keeps them.
const verdictsOf = new WeakMap<DocumentNode, Map<string, string | null>>();

/**
 * Checks what an operation costs.
 *
 * @throws QUERY_TOO_COMPLEX when it asks for too much
 */
export function checkCost(
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: Variables,
  context: Context,
): void {
  const verdicts = verdictsOf.get(document) ?? new Map<string, string | null>();
  verdictsOf.set(document, verdicts);
  const key = keyOf(document, operationName, variables);
  const kept = key === null ? undefined : verdicts.get(key);
  const excess = kept === undefined ? excessOf(executedPart(document, operationName), variables, context) : kept;
  if (key !== null && kept === undefined && verdicts.size < verdictsMax) verdicts.set(key, excess);
  if (excess !== null) throw new SallyportError('QUERY_TOO_COMPLEX', excess);
}

/**
 * Writes down what the cost of a document depends on: the values of the variables that it declares, but for free text,
 * because neither a size nor a choice is that. Null for variables with more in them than can be told at a glance.
 */
function keyOf(document: DocumentNode, operationName: string | null | undefined, variables: Variables): string | null {
  const operation = getOperationAST(document, operationName);
  if (operation == null) return null;
  const values: unknown[] = [operation.name?.value];
  for (const { variable, type } of operation.variableDefinitions ?? []) {
    const value = variables[variable.name.value];
    if (typeof value === 'object' && value !== null) return null;
    // A list is none of the values above, so that it can stand for the value that is not given.
    values.push(typeof value === 'string' && !isChoice(type) ? '' : value === undefined ? [] : value);
  }
  return JSON.stringify(values);
}

/** Tells whether a type is an enumeration. */
function isChoice(type: TypeNode): boolean {
  if (type.kind === 'NonNullType') return isChoice(type.type);
  return type.kind === 'NamedType' && isEnumType(schema.getType(type.name.value));
}

function excessOf(document: DocumentNode, variables: Variables, ctx: Context): string | null {
  const { depth, breadth, complexity } = complexityFromQuery(document, { schema, ctx, variables: { ...variables } });
  return (
    exceeds('fields deep', depth, queryDepthMax) ??
    exceeds('fields in all', breadth, queryFieldsMax) ??
    exceeds('fields in the answer, by estimate', complexity, queryCostMax)
  );
}

function exceeds(what: string, actual: number, max: number): string | null {
  return actual > max ? `The query asks for ${actual} ${what}; at most ${max} are allowed.` : null;
}

/** Leaves of a document with several operations only the one that is executed. */
function executedPart(document: DocumentNode, operationName: string | null | undefined): DocumentNode {
  if (operationName == null) return document;
  return {
    ...document,
    definitions: document.definitions.filter(
      (definition) => definition.kind !== 'OperationDefinition' || definition.name?.value === operationName,
    ),
  };
}
