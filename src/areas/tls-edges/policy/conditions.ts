// Translates expressions of traffic policies to conditions that a proxy can check by itself: alternatives, each a list of checks
// that must all hold. Only expressions that mean exactly the same there are translated. Pure.

import { type ASTNode, parse } from '@marcbachmann/cel-js';
import { canonicalAddress, networkOf } from '../../../domain/ip/cidr.ts';
import { pathOf } from './cel-cost.ts';

/** A single check of a connection. */
export type Check =
  | {
      readonly kind: 'serverName';
      readonly match: 'equals' | 'startsWith' | 'endsWith' | 'contains';
      readonly text: string;
    }
  | { readonly kind: 'clientIn'; readonly range: string }
  | {
      readonly kind: 'port';
      readonly side: 'client' | 'server';
      readonly comparison: Comparison;
      readonly port: bigint;
    };

export type Comparison = '==' | '<' | '<=' | '>' | '>=';

/** A check that must hold or must not hold. */
export interface Literal {
  readonly check: Check;
  readonly holds: boolean;
}

/** Alternatives of literals that must all be met. Without alternatives it is never true; one without literals is always true. */
export type Condition = readonly (readonly Literal[])[];

/** The reason why an expression cannot be translated. */
export class NotExpressible extends Error {}

const always: Condition = [[]];
const never: Condition = [];
/** Most alternatives of a condition: negations and combinations may grow exponentially. */
const alternativesMax = 256;

/** Translates the expressions of a rule, which must all be true. Throws NotExpressible. */
export function conditionOf(expressions: readonly string[]): Condition {
  return expressions.reduce<Condition>((all, text) => both(all, translate(treeOf(text), true)), always);
}

function treeOf(text: string): ASTNode {
  try {
    return parse(text).ast;
  } catch {
    throw new NotExpressible('an expression that does not parse');
  }
}

/** @param wanted false to translate the negation of the expression */
function translate(node: ASTNode, wanted: boolean): Condition {
  switch (node.op) {
    case 'value':
      if (typeof node.args === 'boolean') return constant(node.args === wanted);
      break;
    case '!_':
      return translate(node.args, !wanted);
    case '&&':
    case '||': {
      const [left, right] = [translate(node.args[0], wanted), translate(node.args[1], wanted)];
      return (node.op === '&&') === wanted ? both(left, right) : either(left, right);
    }
    case '==':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return compare(node, node.op, node.args[0], node.args[1], wanted);
    case '!=':
      return compare(node, '==', node.args[0], node.args[1], !wanted);
    case 'in':
      return anyOf(
        textsOf(node, node.args[1]).map((text) => equal(node, pathOf(node.args[0]), text, true)),
        wanted,
      );
    case 'call': {
      const [name, args] = node.args;
      const [address, ranges] = args;
      if (address === undefined || ranges === undefined || pathOf(address) !== 'conn.client_ip') break;
      if (name === 'inCidrRange') return clientIn([textOf(node, ranges)], wanted);
      if (name === 'inCidrRanges') return clientIn(textsOf(node, ranges), wanted);
      break;
    }
    case 'rcall': {
      const [name, receiver, [arg]] = node.args;
      if (arg === undefined || !isServerName(pathOf(receiver))) break;
      if (name !== 'startsWith' && name !== 'endsWith' && name !== 'contains') break;
      return serverName(node, name, textOf(node, arg), wanted);
    }
  }
  throw notExpressible(node);
}

function compare(node: ASTNode, op: Comparison, left: ASTNode, right: ASTNode, wanted: boolean): Condition {
  const path = pathOf(left);
  if (path === 'conn.client_port' || path === 'conn.server_port') {
    if (right.op !== 'value' || typeof right.args !== 'bigint' || right.args < 0n || right.args > 65_535n)
      throw notExpressible(node);
    const side = path === 'conn.client_port' ? 'client' : 'server';
    return literal({ kind: 'port', side, comparison: op, port: right.args }, wanted);
  }
  if (op !== '==') throw notExpressible(node);
  return equal(node, path, textOf(node, right), wanted);
}

function equal(node: ASTNode, path: string, text: string, wanted: boolean): Condition {
  if (isServerName(path)) return serverName(node, 'equals', text, wanted);
  if (path !== 'conn.client_ip') throw notExpressible(node);
  // The variable holds the canonical form of the address, so it never equals another form.
  const range = canonicalAddress(text) === text ? `${text}/${text.includes(':') ? 128 : 32}` : null;
  return range === null ? constant(!wanted) : literal({ kind: 'clientIn', range }, wanted);
}

function serverName(
  node: ASTNode,
  match: 'equals' | 'startsWith' | 'endsWith' | 'contains',
  text: string,
  wanted: boolean,
) {
  // No server name has other characters, since it is in lower case, and they could have a meaning in a configuration.
  if (!/^[a-z0-9._-]{1,253}$/.test(text)) throw notExpressible(node);
  return literal({ kind: 'serverName', match, text }, wanted);
}

function clientIn(ranges: readonly string[], wanted: boolean): Condition {
  // Text that is not a range contains no address.
  const networks = ranges.flatMap((range) => networkOf(range) ?? []);
  return anyOf(
    networks.map((range) => literal({ kind: 'clientIn', range }, true)),
    wanted,
  );
}

function anyOf(conditions: readonly Condition[], wanted: boolean): Condition {
  if (wanted) return conditions.reduce(either, never);
  return conditions.map(negated).reduce(both, always);
}

function negated(condition: Condition): Condition {
  const [only] = condition;
  const [one] = only ?? [];
  if (only === undefined) return always;
  return one === undefined ? never : [[{ check: one.check, holds: !one.holds }]];
}

function literal(check: Check, holds: boolean): Condition {
  return [[{ check, holds }]];
}

function constant(value: boolean): Condition {
  return value ? always : never;
}

function either(a: Condition, b: Condition): Condition {
  return bounded([...a, ...b]);
}

function both(a: Condition, b: Condition): Condition {
  if (a.length * b.length > alternativesMax) throw new NotExpressible('too many alternatives');
  return a.flatMap((left) => b.map((right) => [...left, ...right]));
}

function bounded(condition: Condition): Condition {
  if (condition.length > alternativesMax) throw new NotExpressible('too many alternatives');
  return condition;
}

function isServerName(path: string): boolean {
  return path === 'conn.tls.sni' || path === 'conn.server_name';
}

function textOf(node: ASTNode, value: ASTNode): string {
  if (value.op !== 'value' || typeof value.args !== 'string') throw notExpressible(node);
  return value.args;
}

function textsOf(node: ASTNode, list: ASTNode): string[] {
  if (list.op !== 'list') throw notExpressible(node);
  return list.args.map((entry) => textOf(node, entry));
}

function notExpressible({ start }: ASTNode): NotExpressible {
  return new NotExpressible(`what an expression checks at position ${start}`);
}
