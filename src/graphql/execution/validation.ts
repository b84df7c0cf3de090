// Validates documents of clients by the rules of GraphQL, at a bounded cost. Suggestions of similar names and the comparison of equal
// fields take more than linear time in GraphQL.js: 150 unknown types took 90 ms, 250 equal fields 110 (measured).

import {
  type DocumentNode,
  FieldsOnCorrectTypeRule,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  KnownArgumentNamesRule,
  KnownTypeNamesRule,
  OverlappingFieldsCanBeMergedRule,
  type SelectionSetNode,
  specifiedRules,
  type ValidationRule,
  type ValueNode,
  ValuesOfCorrectTypeRule,
  validate,
} from 'graphql';
import { getOrInsertComputed } from '../../domain/values/maps.ts';
import { errorsMax, fieldComparisonsMax } from '../../load/limits.ts';
import { coded } from '../kit/public-errors.ts';
import { schema } from '../schema.ts';

/** Most errors that suggest similar names, and the longest document in characters whose errors do. */
const suggestionsMax = 10;
const suggestedCharactersMax = 8_192;

const suggestingRules = [
  FieldsOnCorrectTypeRule,
  KnownArgumentNamesRule,
  KnownTypeNamesRule,
  ValuesOfCorrectTypeRule,
] as const;
const otherRules = specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule);

/**
 * Validates a document by the rules of GraphQL. Fields that give different values the same name are looked for only in documents
 * without other errors. Returns the errors, at most `errorsMax` and one that says so.
 *
 * @param characters length of its text
 */
export function findErrors(document: DocumentNode, characters: number): readonly GraphQLError[] {
  const errors = check(document, otherRules, true);
  if (errors.length === 0) return findConflicts(document);
  if (errors.length > suggestionsMax || characters > suggestedCharactersMax) return errors;
  const suggesting = check(document, suggestingRules, false);
  return errors.map(
    (error) =>
      suggesting.find(({ message, nodes }) => nodes?.[0] === error.nodes?.[0] && message.startsWith(error.message)) ??
      error,
  );
}

/** Validates by some rules. One of them (graphql 16, `SingleFieldSubscriptionsRule`) throws for a top-level directive with a variable. */
function check(
  document: DocumentNode,
  rules: readonly ValidationRule[],
  hideSuggestions: boolean,
): readonly GraphQLError[] {
  try {
    return validate(schema, document, rules, { maxErrors: errorsMax, hideSuggestions });
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    throw error;
  }
}

/** Finds fields that give different values the same name in an answer, if there are not too many to compare. */
function findConflicts(document: DocumentNode): readonly GraphQLError[] {
  if (new Comparisons(document).exceed(fieldComparisonsMax)) {
    const message =
      `The document selects the same fields too often: they would be compared with each other more than ${fieldComparisonsMax} ` +
      'times. Select each field of an object once.';
    return [coded('QUERY_TOO_COMPLEX', message)];
  }
  return check(document, [OverlappingFieldsCanBeMergedRule], true);
}

/** Literal text in arguments, in characters, that takes about as long to compare as a field (measured). */
const charactersOfField = 2_000;

/** Fields that share a name in an answer. */
interface Group {
  count: number;
  /** Literal text in their arguments. */
  characters: number;
  readonly inner: SelectionSetNode[];
}

const newGroup = (): Group => ({ count: 0, characters: 0, inner: [] });

/**
 * Counts how often `OverlappingFieldsCanBeMergedRule` compares two fields, or two fragments: all those that share a name in an answer.
 * The document has no cyclic fragments.
 */
class Comparisons {
  readonly #document: DocumentNode;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  #left = 0;

  constructor(document: DocumentNode) {
    this.#document = document;
    for (const node of document.definitions)
      if (node.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(node.name.value, node);
  }

  /** Returns whether there are more than `max`. Counts no further. */
  exceed(max: number): boolean {
    this.#left = max;
    return this.#document.definitions.some((node) => 'selectionSet' in node && !this.#count([node.selectionSet]));
  }

  /** Counts the comparisons in selections whose fields are merged. Returns false once there are too many. */
  #count(merged: readonly SelectionSetNode[]): boolean {
    const groups = new Map<string, Group>();
    const spread = new Set<string>();
    const waiting = [...merged];
    for (let set = waiting.pop(); set !== undefined; set = waiting.pop()) {
      for (const node of set.selections) {
        if (node.kind === Kind.INLINE_FRAGMENT) waiting.push(node.selectionSet);
        else if (node.kind === Kind.FRAGMENT_SPREAD) {
          const fragment = spread.has(node.name.value) ? undefined : this.#fragments.get(node.name.value);
          spread.add(node.name.value);
          if (fragment !== undefined) waiting.push(fragment.selectionSet);
        } else {
          const group = getOrInsertComputed(groups, (node.alias ?? node.name).value, newGroup);
          group.count += 1;
          for (const { value } of node.arguments ?? []) group.characters += charactersOf(value);
          if (node.selectionSet !== undefined) group.inner.push(node.selectionSet);
        }
      }
    }
    this.#left -= pairsOf(spread.size);
    for (const { count, characters } of groups.values())
      this.#left -= pairsOf(count) * (1 + characters / count / charactersOfField);
    // Checked before the inner selections, which cost the more to look through.
    return this.#left >= 0 && [...groups.values()].every(({ inner }) => inner.length === 0 || this.#count(inner));
  }
}

/** Counts the pairs of some fields, and each field once: looking at it takes time, too. */
function pairsOf(count: number): number {
  return (count * (count + 1)) / 2;
}

/** Returns the length of the text in a literal, in characters. */
function charactersOf(value: ValueNode): number {
  if (value.kind === Kind.LIST) return value.values.reduce((sum, item) => sum + charactersOf(item), 0);
  if (value.kind === Kind.OBJECT) return value.fields.reduce((sum, field) => sum + charactersOf(field.value), 0);
  return 'value' in value && typeof value.value === 'string' ? value.value.length : 1;
}
