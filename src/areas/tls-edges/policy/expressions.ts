// Evaluates expressions of traffic policies for a connection. Pure, and bounded: see `cel-cost.ts`.

import { TypeError as CelTypeError, Environment, EvaluationError, ParseError } from '@marcbachmann/cel-js';
import { RE2JS, RE2JSException } from 're2js';
import { containsText } from '../../../domain/ip/cidr.ts';
import { isJsonObject } from '../../../domain/values/json.ts';
import { CelRefusal, type Extent, estimateCost, linearMatches, repeated, type Source, textOf } from './cel-cost.ts';
import { type TypeGroup, type ValueGroup, variablesBytesMax, variableTypes } from './variables.ts';

/** Maximum cost of evaluating an expression, as estimated by `estimateCost`: some 20 milliseconds (measured). */
export const expressionCostMax = 100_000;

/** The cost of parsing an expression, and of each of its characters, in the same units (measured). */
const costOfReading = 100;
const costOfCharacter = 0.25;

/** The result of an expression: whether it is true, or the error if it cannot be evaluated. */
export type Truth =
  | { readonly value: boolean; readonly error: null }
  | { readonly value: null; readonly error: string };

const timestamp = 'google.protobuf.Timestamp';
const duration = 'google.protobuf.Duration';
const billion = 1_000_000_000n;
const intMax = 2n ** 63n - 1n;

const environment = new Environment({ homogeneousAggregateLiterals: false });
for (const [name, schema] of Object.entries(variableTypes)) environment.registerVariable({ name, schema });
environment
  .registerFunction('inCidrRange(string, string): bool', containsText)
  .registerFunction('inCidrRanges(string, list): bool', (address: string, ranges: readonly unknown[]) =>
    ranges.some((range) => typeof range === 'string' && containsText(address, range)),
  )
  // CEL specifies the regular expressions of RE2, which take linear time.
  .registerFunction(`string.${linearMatches}(string): bool`, (text: string, pattern: string) =>
    RE2JS.compile(pattern).matcher(text).find(),
  );

// Standard conversions that the library lacks (cel-spec, doc/langdef.md, "List of Standard Definitions"). A deny rule whose expression
// uses one would not count as true.
environment
  .registerFunction(`timestamp(${timestamp}): ${timestamp}`, (given: Date) => given)
  .registerFunction(`duration(${duration}): ${duration}`, (given: Duration) => given)
  .registerFunction(`string(${timestamp}): string`, (given: Date) => given.toISOString().replace(/\.?0+Z$/, 'Z'))
  .registerFunction(`string(${duration}): string`, formatDuration)
  .registerFunction(`int(${timestamp}): int`, (given: Date) => BigInt(Math.floor(given.getTime() / 1000)))
  .registerFunction('int(uint): int', (given: { valueOf(): bigint }) => {
    const number = given.valueOf();
    if (number > intMax) throw new EvaluationError('The number is too large for int');
    return number;
  });

/** A duration as the library represents it: `nanos` are added, also to negative seconds. */
interface Duration {
  readonly seconds: bigint;
  readonly nanos: number;
}

/** Formats a duration in seconds, such as `-1.5s`. */
function formatDuration({ seconds, nanos }: Duration): string {
  const all = seconds * billion + BigInt(nanos);
  const [sign, size] = all < 0n ? ['-', -all] : ['', all];
  const fraction = String(size % billion)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${sign}${size / billion}${fraction === '' ? '' : `.${fraction}`}s`;
}

/**
 * Evaluates an expression.
 *
 * @param charge called with the cost of each step before it runs
 */
export function evaluateExpression(expression: string, values: ValueGroup, charge: (cost: number) => void): Truth {
  try {
    charge(costOfReading + expression.length * costOfCharacter);
    const run = environment.parse(expression);
    const cost = estimateCost(run.ast, sourcesOf(values));
    // Written so that NaN is refused too: zero elements times an infinite cost.
    if (!(cost <= expressionCostMax)) return unknown('The expression is too costly to evaluate');
    charge(cost);
    const value: unknown = run(values);
    return typeof value === 'boolean' ? { value, error: null } : unknown(mustBeTruth);
  } catch (error) {
    const { reason, position } = whyNot(error);
    return unknown(reason, position);
  }
}

/** The reason why an expression cannot be evaluated. */
interface Obstacle {
  readonly reason: string;
  /** The position in the expression, from 0; undefined if unknown. */
  readonly position?: number | undefined;
}

/** Returns why an expression cannot be evaluated for any connection, such as an unknown variable; null if it can be evaluated. */
export function obstacleTo(expression: string): Obstacle | null {
  try {
    const run = environment.parse(expression);
    estimateCost(run.ast, ofNoConnection);
    const { valid, type, error } = run.check();
    if (!valid) return whyNot(error);
    return type === 'bool' || type === 'dyn' ? null : { reason: mustBeTruth };
  } catch (error) {
    return whyNot(error);
  }
}

/** Returns why an expression has failed. Rethrows errors that the expression did not cause. */
function whyNot(error: unknown): Obstacle {
  if (error instanceof CelRefusal) return { reason: error.message, position: error.position };
  if (error instanceof EvaluationError || error instanceof ParseError || error instanceof CelTypeError) {
    const missing = error.code === 'no_such_key' ? ' (the connection in question does not give it)' : '';
    return { reason: error.summary.replaceAll(linearMatches, 'matches') + missing, position: error.range?.start };
  }
  if (error instanceof RE2JSException) return { reason: 'matches() has a pattern that is not a regular expression' };
  // Syntax that the parser's limits do not count, such as a row of `!`, exhausts the stack.
  if (error instanceof RangeError) return { reason: 'The expression nests too deep' };
  throw error;
}

const mustBeTruth = 'The expression must be true or false';

/** Longest explanation, in characters: the library's messages quote the expression's values. */
const explanationMax = 300;

function unknown(reason: string, position?: number): Truth {
  return { value: null, error: sayObstacle({ reason, position }) };
}

/** Formats the reason why an expression cannot be evaluated, with the position. */
export function sayObstacle({ reason, position }: Obstacle): string {
  const where = position === undefined ? '' : `, at position ${position}`;
  return `${reason.slice(0, explanationMax)}${where}.`;
}

function sourcesOf(values: ValueGroup): ReadonlyMap<string, Source> {
  return new Map(Object.entries(variableTypes).map(([name, types]) => [name, sourceOf(types, values[name])]));
}

/** The extent of a whole group if it is used as a value, which nobody does: an upper bound for it and for any part of it. */
const wholeGroup: Extent = {
  weight: 2 * variablesBytesMax,
  length: 2 * variablesBytesMax,
  inner: 2 * variablesBytesMax,
};

function sourceOf(type: string | TypeGroup, value: unknown): Source {
  // Only these may have fields that are not known in advance.
  if (type === 'dyn' || type === 'list') return extentOf(value);
  if (typeof type === 'string') return { ...extentOf(value), fieldOf: () => undefined };
  const members: ValueGroup = isJsonObject(value) ? value : {};
  const fieldOf = (name: string) => {
    const field = Object.hasOwn(type, name) ? type[name] : undefined;
    return field === undefined ? undefined : sourceOf(field, members[name]);
  };
  return { ...wholeGroup, fieldOf };
}

function extentOf(value: unknown): Source {
  if (typeof value === 'string') return textOf(value.length);
  if (typeof value !== 'object' || value === null || value instanceof Date) return textOf(1);
  const parts = Object.entries(value).flat().map(extentOf);
  return repeated(parts.length, Math.max(1, ...parts.map(({ weight }) => weight)));
}

/** The variables of a connection without values. */
const ofNoConnection = sourcesOf({});
