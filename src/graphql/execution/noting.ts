// Notes which operation a client executes, for the log and the metrics.

import { type DocumentNode, getOperationAST, Kind } from 'graphql';
import type { Context } from '../kit/context.ts';

/** Length at which operation names are truncated, because clients choose them. */
const operationNameCharactersMax = 64;

/** Notes the name and the top-level field of an operation. */
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
  // Field names of the schema, because their number is limited: clients could invent any number of operation names.
  trace.route = fields.size === 1 && field ? field : 'several';
}
