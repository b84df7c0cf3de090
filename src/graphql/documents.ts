// Documents that clients send: parsed and validated once, as long as they come again.

import {
  type DocumentNode,
  GraphQLError,
  getOperationAST,
  Kind,
  type NameNode,
  type OperationTypeNode,
  parse,
  type Source,
  type Token,
  validate,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { ErrorCode } from '../domain/errors.ts';
import type { Context } from './context.ts';
import { coded, shortened } from './errors.ts';
import {
  documentCommentsMax,
  documentLinesMax,
  documentTokensMax,
  errorsMax,
  fragmentSpreadsMax,
  locatedLinesMax,
  nameCharactersMax,
  queryFieldsMax,
} from './limits.ts';
import { noteOperation } from './noting.ts';
import { schema } from './schema.ts';

/** Bytes of memory for documents that are kept. */
const keptBytesMax = 16_777_216;
/** Bytes that a character of a document takes, at most, and a token of it with its share of the nodes (measured). */
const characterBytes = 2;
const tokenBytes = 400;

interface Parsed {
  readonly document: DocumentNode;
  /** Of the document, and of all that is kept with it. */
  readonly bytes: number;
}

const kept = new LRUCache<string, Parsed>({ maxSize: keptBytesMax, sizeCalculation: ({ bytes }) => bytes });
const textOf = new WeakMap<DocumentNode, string>();
const errorsOf = new WeakMap<DocumentNode, readonly GraphQLError[]>();

/** Tells whether a document has been parsed and is kept. */
export function isPrepared(text: string): boolean {
  return kept.has(text);
}

/** Tells what a document that was prepared asks for; null where it is not valid, or does not say which operation is meant. */
export function operationTypeOf(text: string, operationName: unknown): OperationTypeNode | null {
  const document = kept.get(text)?.document;
  const name = typeof operationName === 'string' ? operationName : null;
  if (document === undefined || validateDocument(document).length > 0) return null;
  return getOperationAST(document, name)?.operation ?? null;
}

/** Notes what a client executes of a document that has been parsed: whoever has its answer already does not execute it. */
export function notePrepared(noted: Pick<Context, 'trace'>, text: string, operationName: unknown): void {
  const document = kept.get(text)?.document;
  if (document !== undefined) noteOperation(noted, document, typeof operationName === 'string' ? operationName : null);
}

/** Parses and validates a document, so that it is kept. What is wrong with it is found again when it is asked for. */
export function prepareDocument(text: string): void {
  try {
    validateDocument(parseDocument(text));
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
  }
}

/** Parses a document, or gives the same object as the last time. Throws GRAPHQL_SYNTAX. */
export function parseDocument(source: string | Source): DocumentNode {
  const text = typeof source === 'string' ? source : source.body;
  const known = kept.get(text);
  if (known !== undefined) return known.document;
  const document = parseWithinLimits(text);
  checkSize(document);
  kept.set(text, { document, bytes: text.length * characterBytes + unlinkTokens(document) * tokenBytes });
  textOf.set(document, text);
  return document;
}

/** Notes that more is kept together with a document that a client has sent, as long as that is kept; nothing of any other document. */
export function noteKept(document: DocumentNode, bytes: number): void {
  const text = textOf.get(document);
  const known = text === undefined ? undefined : kept.get(text);
  if (text === undefined || known?.document !== document) return;
  kept.set(text, { document, bytes: known.bytes + bytes });
}

function parseWithinLimits(text: string): DocumentNode {
  const lines = countLines(text);
  if (lines > documentLinesMax) {
    throw coded(
      'GRAPHQL_SYNTAX',
      `A document may have at most ${documentLinesMax} lines. Send long text in variables.`,
    );
  }
  try {
    const noLocation = lines > locatedLinesMax;
    return parse(text, { maxTokens: documentTokensMax, maxComments: documentCommentsMax, noLocation });
  } catch (error) {
    if (error instanceof GraphQLError) throw coded('GRAPHQL_SYNTAX', withoutToken(error.message), error);
    // The parser calls itself for each bracket, and runs out of stack on fewer of them than there may be tokens.
    if (error instanceof RangeError) throw coded('GRAPHQL_SYNTAX', 'The document is nested too deeply.');
    throw error;
  }
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1 && count <= documentLinesMax; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/**
 * Checks what would make validation dear, which compares fields of the same name with each other.
 *
 * @throws GRAPHQL_SYNTAX for a name that is too long, QUERY_TOO_COMPLEX for too many fields or fragments
 */
function checkSize(document: DocumentNode): void {
  let fields = 0;
  let spreads = 0;
  visit(document, {
    [Kind.NAME]({ value }: NameNode) {
      if (value.length <= nameCharactersMax) return;
      throw coded('GRAPHQL_SYNTAX', `A name in a document may have at most ${nameCharactersMax} characters.`);
    },
    [Kind.FIELD]() {
      fields += 1;
    },
    [Kind.FRAGMENT_SPREAD]() {
      spreads += 1;
    },
  });
  if (fields > queryFieldsMax) throw tooMany(fields, 'fields', queryFieldsMax);
  if (spreads > fragmentSpreadsMax) throw tooMany(spreads, 'fragment spreads', fragmentSpreadsMax);
}

function tooMany(count: number, what: string, max: number): GraphQLError {
  return coded('QUERY_TOO_COMPLEX', `The document has ${count} ${what}; the maximum is ${max}.`);
}

/**
 * Takes apart the chain of all tokens, which nobody reads once the document is parsed: through it the document would keep
 * its comments in memory as well. Gives the number of tokens.
 */
function unlinkTokens({ loc }: DocumentNode): number {
  // Without a location nothing leads to the tokens.
  if (loc === undefined) return documentTokensMax;
  let count = 0;
  let token: Token | null | undefined = loc.startToken;
  while (token != null) {
    const { next }: Token = token;
    // The type says read-only; the object is ours alone.
    Object.assign(token, { prev: null, next: null });
    token = next;
    count += 1;
  }
  return count;
}

/**
 * Validates a document by the rules of GraphQL. One of them (graphql 16, `SingleFieldSubscriptionsRule`) throws where a directive at the
 * top of a subscription has a variable.
 */
function validateOrFail(document: DocumentNode): readonly GraphQLError[] {
  try {
    return validate(schema, document, undefined, { maxErrors: errorsMax });
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    throw error;
  }
}

/** Validates a document. Gives GRAPHQL_INVALID errors; none when it is valid. */
export function validateDocument(document: DocumentNode): readonly GraphQLError[] {
  const known = errorsOf.get(document);
  if (known !== undefined) return known;
  const errors = validateOrFail(document).map((error) => withCode('GRAPHQL_INVALID', withoutValue(error)));
  errorsOf.set(document, errors);
  return errors;
}

/** Takes the text of a token out of the message about it, for the reason given below. The error says where it stands. */
function withoutToken(message: string): string {
  return message.replace(/ (Name|Int|Float|String|BlockString|Comment) "[\s\S]*$/, ' $1.');
}

/**
 * Takes out of the message about a literal what it repeats of it: it may be a secret that was pasted into the wrong place.
 * GraphQL puts a value that an enum does not have in front, and any other behind a colon or the word "found", and then may
 * suggest other values.
 */
function withoutValue(error: GraphQLError): GraphQLError {
  if (error.nodes?.some(({ kind }) => kind.endsWith('Value')) !== true) return error;
  const message = error.message
    .replace(/^Value "[\s\S]*" does not exist in/, 'This value does not exist in')
    .replace(/(?:: |, found |\. Did you mean )[\s\S]*$/, '');
  return coded('GRAPHQL_INVALID', `${message.replace(/\.$/, '')}.`, error);
}

/** Adds a code and keeps all else, such as the HTTP status that yoga gave. */
function withCode(code: ErrorCode, error: GraphQLError): GraphQLError {
  return new GraphQLError(shortened(error.message), {
    nodes: error.nodes ?? null,
    source: error.source ?? null,
    positions: error.positions ?? null,
    path: error.path ?? null,
    extensions: { ...error.extensions, code },
  });
}
