// Estimates the maximum cost of evaluating a CEL expression from its syntax tree, before anything is evaluated, as Kubernetes does.
// The library evaluates without limits: doubling a list twenty times, nested comprehensions, or a long `duration` take minutes or
// all memory (measured). Pure.

import type { ASTNode } from '@marcbachmann/cel-js';

/** The maximum size of a value. */
export interface Extent {
  /** All characters and elements in it, including nested ones. */
  readonly weight: number;
  /** Elements of a list, entries of a map or characters of text. */
  readonly length: number;
  /** The maximum weight of one element. */
  readonly inner: number;
}

/** The size of a variable, and of its fields if they are known. */
export interface Source extends Extent {
  /** Returns the size of a field; undefined if there is no field of this name. Absent if the fields are not known in advance. */
  readonly fieldOf?: (name: string) => Source | undefined;
}

/** The reason why an expression is not evaluated. */
export class CelRefusal extends Error {
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.position = position;
  }
}

/** The name of the function that replaces `matches`: the library's own one would take minutes for some patterns. */
export const linearMatches = 'matchesInLinearTime';

interface Estimate extends Source {
  readonly cost: number;
}

type Scope = ReadonlyMap<string, Source>;

const scalar: Extent = { weight: 1, length: 1, inner: 1 };

/** Costs, in units of about 0.2 microseconds, the time that evaluating one node of the tree takes (measured). */
const costs = { perWeight: 0.25, perProduct: 0.0625, timeZone: 2_000, cidr: 50, instruction: 5, regexStep: 0.5 };

/**
 * Estimates the maximum cost of evaluating an expression, and modifies the tree so that `matches` takes linear time.
 *
 * @param variables the sizes of the variables that the expression may use
 * @throws CelRefusal for unknown variables and functions
 */
export function estimateCost(expression: ASTNode, variables: Scope): number {
  return estimate(expression, variables).cost;
}

function estimate(node: ASTNode, scope: Scope): Estimate {
  switch (node.op) {
    case 'value': {
      const length = typeof node.args === 'string' || node.args instanceof Uint8Array ? node.args.length : 1;
      return { cost: 1, ...textOf(length) };
    }
    case 'id': {
      const source = scope.get(node.args);
      // An identifier that is not a variable may be a type, such as `int`; the library knows all types.
      return { cost: 1, ...(source ?? scalar) };
    }
    case '.':
    case '.?': {
      const { cost, ...receiver } = estimate(node.args[0], scope);
      if (receiver.fieldOf === undefined) return { cost: cost + 1, ...elementOf(receiver) };
      const field = receiver.fieldOf(node.args[1]);
      if (field === undefined) throw new CelRefusal(`Unknown variable: ${pathOf(node)}`, node.start);
      return { cost: cost + 1, ...field };
    }
    case '[]':
    case '[?]': {
      const [receiverNode, indexNode] = node.args;
      const { cost, ...receiver } = estimate(receiverNode, scope);
      const index = estimate(indexNode, scope);
      if (receiver.fieldOf === undefined) return { cost: 1 + cost + index.cost, ...elementOf(receiver) };
      const name = indexNode.op === 'value' ? indexNode.args : null;
      const field = typeof name === 'string' ? receiver.fieldOf(name) : undefined;
      if (field === undefined && typeof name === 'string')
        throw new CelRefusal(`Unknown variable: ${pathOf(receiverNode)}.${name}`, node.start);
      if (field === undefined) throw new CelRefusal('Fields of a variable must be named', node.start);
      return { cost: 1 + cost + index.cost, ...field };
    }
    case 'list':
      return listOf(node.args.map((part) => estimate(part, scope)));
    case 'map':
      return listOf(node.args.flat().map((part) => estimate(part, scope)));
    case '!_':
    case '-_':
      return { cost: 1 + estimate(node.args, scope).cost, ...scalar };
    case '?:': {
      const parts = node.args.map((part) => estimate(part, scope));
      return { cost: 1 + costOf(...parts), ...eitherOf(parts.slice(1)) };
    }
    case 'call':
      return estimateCall(node, node.args[0], null, node.args[1], scope);
    case 'rcall':
      return estimateMethod(node, scope);
    default: {
      const parts = node.args.map((part) => estimate(part, scope));
      const both = node.op === '+' ? concatenationOf(parts) : scalar;
      return { cost: 1 + costOf(...parts) + costs.perWeight * weightOf(parts), ...both };
    }
  }
}

function estimateMethod(node: Extract<ASTNode, { op: 'rcall' }>, scope: Scope): Estimate {
  const [name, receiverNode, args] = node.args;
  const [variable, ...bodies] = args;
  const receiver = estimate(receiverNode, scope);
  if (comprehensions.has(name) && variable?.op === 'id' && bodies.length > 0) {
    const inner = new Map(scope).set(variable.args, elementOf(receiver));
    const steps = bodies.map((body) => estimate(body, inner));
    const cost = 1 + receiver.cost + receiver.length * (2 + costOf(...steps));
    if (name === 'filter') return { ...extentOf(receiver), cost };
    const result = steps.at(-1);
    if (name !== 'map' || result === undefined) return { ...scalar, cost };
    return { cost, ...repeated(receiver.length, result.weight) };
  }
  if (name === 'matches' && args.length === 1) {
    const [pattern] = args;
    if (pattern?.op !== 'value' || typeof pattern.args !== 'string') {
      throw new CelRefusal('matches() must have a pattern that is a literal string', node.start);
    }
    // An empty quotation before `{1000}` would hide which part is repeated.
    if (pattern.args.includes('\\Q')) {
      throw new CelRefusal('matches() must have a pattern without \\Q', pattern.start);
    }
    node.args[0] = linearMatches;
    const instructions = instructionsOf(pattern.args);
    const cost = instructions * (costs.instruction + costs.regexStep * receiver.weight);
    return { cost: receiver.cost + cost, ...scalar };
  }
  return estimateCall(node, name, receiver, args, scope);
}

const comprehensions = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

/** Functions whose cost and result grow linearly with the size of their arguments. */
const linearFunctions = new Set(
  (
    'size startsWith endsWith lowerAscii upperAscii trim substring bool int uint double string bytes dyn type timestamp has ' +
    'getDate getDayOfMonth getDayOfWeek getDayOfYear getFullYear getHours getMilliseconds getMinutes getMonth getSeconds'
  ).split(' '),
);
/** Functions that search for one text in another, so that their cost grows with the product of the two sizes. */
const searches = new Set(['contains', 'indexOf', 'lastIndexOf', 'split', 'join']);

function estimateCall(
  node: ASTNode,
  name: string,
  receiver: Estimate | null,
  args: readonly ASTNode[],
  scope: Scope,
): Estimate {
  const given = args.map((arg) => estimate(arg, scope));
  const all = receiver === null ? given : [receiver, ...given];
  const cost = 1 + costOf(...all);
  const weight = weightOf(all);
  if (searches.has(name)) {
    const product = ((receiver?.weight ?? 0) + 1) * (weightOf(given) + 1);
    return { cost: cost + costs.perProduct * product, ...repeated(product, 1) };
  }
  switch (name) {
    case 'duration':
      // The library tries to match a number with its unit from each digit on, and for each of these, where the number may end.
      return { cost: cost + costs.perProduct * (weight + 1) ** 3, ...scalar };
    case 'inCidrRange':
      return { cost: cost + costs.cidr, ...scalar };
    case 'inCidrRanges':
      return { cost: cost + costs.cidr * ((given[1]?.length ?? 0) + 1), ...scalar };
  }
  if (!linearFunctions.has(name)) throw new CelRefusal(`Unknown function: ${name}`, node.start);
  const zone = receiver !== null && name.startsWith('get') && given.length > 0 ? costs.timeZone : 0;
  // Lower case may have three times the length, and a number as text 25 characters.
  return { cost: cost + zone + costs.perWeight * weight, ...textOf(3 * weight + 25) };
}

/** Returns the maximum number of instructions that a pattern compiles to: a repeated part counts as often as it may be repeated. */
function instructionsOf(pattern: string): number {
  // A class without an end, which RE2 refuses, takes the rest: its end is looked for only once.
  const part = /\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|\[[\s\S]*|\{\d+(?:,\d*)?\}|[\s\S]/gu;
  const parts = pattern.match(part) ?? [];
  let count = 1;
  for (const [index, part] of parts.entries()) {
    const times = /^\{(\d+)(?:,(\d*))?\}$/.exec(part);
    if (times === null) {
      // A character class is one instruction with its ranges.
      count += part.startsWith('[') || part.startsWith('\\') ? 4 : 2;
      continue;
    }
    const [, least = '', most = ''] = times;
    const most1 = Math.max(Number(least), Number(most), 1) + 1;
    // The start of the group is not searched for: the group is at most everything so far.
    count = parts[index - 1] === ')' ? count * most1 : count + 4 * most1;
  }
  return count;
}

/** Returns the path of a variable, such as `conn.tls.sni`. Anything but names and dots is written as `...`. */
export function pathOf(node: ASTNode): string {
  if (node.op === 'id') return node.args;
  return node.op === '.' ? `${pathOf(node.args[0])}.${node.args[1]}` : '...';
}

function costOf(...parts: readonly (Estimate | undefined)[]): number {
  return parts.reduce((sum, part) => sum + (part?.cost ?? 0), 0);
}

function weightOf(parts: readonly Extent[]): number {
  return parts.reduce((sum, { weight }) => sum + weight, 0);
}

function extentOf({ weight, length, inner }: Extent): Extent {
  return { weight, length, inner };
}

/** Returns the extent of text with a number of characters. */
export function textOf(length: number): Extent {
  return { weight: length + 1, length, inner: 1 };
}

/** Returns the extent of a list with a number of elements of a given weight. */
export function repeated(length: number, inner: number): Extent {
  return { weight: 1 + length * (1 + inner), length, inner };
}

/** Returns the extent of an element, which may be anything up to the weight of the largest one. */
function elementOf({ inner }: Extent): Extent {
  return { weight: inner, length: inner, inner };
}

function listOf(parts: readonly Estimate[]): Estimate {
  const inner = Math.max(1, ...parts.map(({ weight }) => weight));
  return { cost: 1 + costOf(...parts), ...repeated(parts.length, inner) };
}

function eitherOf(parts: readonly Extent[]): Extent {
  return {
    weight: Math.max(...parts.map(({ weight }) => weight)),
    length: Math.max(...parts.map(({ length }) => length)),
    inner: Math.max(...parts.map(({ inner }) => inner)),
  };
}

function concatenationOf(parts: readonly Extent[]): Extent {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return { ...eitherOf(parts), weight: weightOf(parts), length };
}
