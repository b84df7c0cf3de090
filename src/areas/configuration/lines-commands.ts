// What the commands for the configuration print for people.

import { isJsonObject, type JsonObject } from '../../domain/values/json.ts';

/** What lines about objects begin with, by what happens to them. */
export const signs: Readonly<Record<string, string>> = {
  create: '+',
  update: '~',
  replace: '-/+',
  delete: '-',
  release: '=',
};

/** Writes a plan for people. */
export function linesOfPlan(plan: JsonObject): string[] {
  const changes = listOf(plan.changes).map(fieldsOf);
  const lines = changes.flatMap(({ action, kind, name, fields }) => [
    `${signs[String(action)] ?? action} ${action} ${kind} ${name}`,
    ...listOf(fields)
      .map(fieldsOf)
      .map(({ field, before, after }) => `    ${field}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`),
  ]);
  const access = listOf(plan.access)
    .map(fieldsOf)
    .flatMap(({ traffic, newlyAllowed, newlyAllowedCount, newlyRefused, newlyRefusedCount }) => [
      ...sentenceOfRanges(`Lets in at ${traffic}`, newlyAllowed, newlyAllowedCount),
      ...sentenceOfRanges(`Shuts out at ${traffic}`, newlyRefused, newlyRefusedCount),
    ]);
  const asks = listOf(plan.asks).map((address) => `Asked first: ${address}`);
  const left = listOf(plan.left)
    .map(fieldsOf)
    .map(({ kind, name }) => `${kind} ${name} is not in the document any more, and stays: --prune would delete it.`);
  const refusals = listOf(plan.refusals)
    .map(fieldsOf)
    .map(({ code, message }) => `Refused: ${code}: ${message}`);
  if (changes.length === 0) return ['Nothing to do: the account is what the document describes.', ...left];
  return [
    ...lines,
    ...access,
    ...asks,
    ...left,
    ...refusals,
    `${changes.length} changes, as ${plan.requests} requests would make. Plan ${plan.digest}`,
  ];
}

function sentenceOfRanges(what: string, ranges: unknown, count: unknown): string[] {
  const shown = listOf(ranges);
  if (shown.length === 0) return [];
  const more = Number(count) > shown.length ? ` and ${Number(count) - shown.length} more ranges` : '';
  return [`${what}: ${shown.join(', ')}${more}.`];
}

/** Returns the fields of a part of an answer; none of anything else. */
export function fieldsOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Returns a list in an answer; an empty one for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
