// What is noted of the operation that a client executes, for the log and the metrics.

import { type DocumentNode, getOperationAST, Kind } from 'graphql';
import type { Context } from './context.ts';

/** Longest name of an operation that is noted: clients choose it. */
const operationNameCharactersMax = 64;

/** Notes for the log and the metrics what a client executes. */
export function noteOperation(
  { trace }: Pick<Context, 'trace'>,
  document: DocumentNode,
  operationName: string | null | undefined,
): void {
  const definition = getOperationAST(document, operationName);
  if (!definition) return;
  trace.operationName = definition.name?.value.slice(0, operationNameCharactersMax) ?? null;
  const fields = new Set(
    definition.selectionSet.selections.map((node) => (node.kind === Kind.FIELD ? node.name.value : null)),
  );
  const [field] = fields;
  // Names of the schema, of which there are so many: the names of operations would be as many as clients like.
  trace.route = fields.size === 1 && field ? field : 'several';
}
