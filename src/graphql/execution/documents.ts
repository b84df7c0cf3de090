// Documents that clients send. They are parsed and validated once, and cached.

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
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { ErrorCode } from '../../domain/error-catalogue.ts';
import {
  documentCommentsMax,
  documentLinesMax,
  documentTokensMax,
  fragmentSpreadsMax,
  locatedLinesMax,
  nameCharactersMax,
  queryFieldsMax,
} from '../../load/limits.ts';
import type { Context } from '../kit/context.ts';
import { coded, isErrorCode, shortened } from '../kit/public-errors.ts';
import { noteOperation } from './noting.ts';
import { findErrors } from './validation.ts';

/** Memory for cached documents, in bytes. */
const keptBytesMax = 16_777_216;
/** Memory per character of a document, at most, and per token with its share of the nodes, in bytes (measured). */
const characterBytes = 2;
const tokenBytes = 400;

interface Parsed {
  readonly document: DocumentNode;
  /** Memory of the document and everything that is cached with it. */
  readonly bytes: number;
}

const kept = new LRUCache<string, Parsed>({ maxSize: keptBytesMax, sizeCalculation: ({ bytes }) => bytes });
const textOf = new WeakMap<DocumentNode, string>();
const errorsOf = new WeakMap<DocumentNode, readonly GraphQLError[]>();

/** Returns whether a document has been parsed and is cached. */
export function isPrepared(text: string): boolean {
  return kept.has(text);
}

/** Returns a prepared document; null if it is invalid. */
export function preparedDocument(text: string): DocumentNode | null {
  const document = kept.get(text)?.document;
  return document === undefined || validateDocument(document).length > 0 ? null : document;
}

/** Returns the type of the selected operation of a prepared document; null if it is invalid or no operation is selected. */
export function operationTypeOf(text: string, operationName: unknown): OperationTypeNode | null {
  const document = preparedDocument(text);
  const name = typeof operationName === 'string' ? operationName : null;
  return document === null ? null : (getOperationAST(document, name)?.operation ?? null);
}

/** Notes which operation of a parsed document a client asks for, because a repeated request is answered without executing it. */
export function notePrepared(noted: Pick<Context, 'trace'>, text: string, operationName: unknown): void {
  const document = kept.get(text)?.document;
  if (document !== undefined) noteOperation(noted, document, typeof operationName === 'string' ? operationName : null);
}

/** Parses and validates a document, so that it is cached. Its errors are found again when it is used. */
export function prepareDocument(text: string): void {
  try {
    validateDocument(parseDocument(text));
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
  }
}

/** Parses a document, or returns the cached object. Throws GRAPHQL_SYNTAX, and QUERY_TOO_COMPLEX as `checkSize`. */
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

/** Notes that something of this size is cached together with a client document. No-op if the document is not cached. */
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
    // The parser recurses on each bracket, and its stack overflows before the limit on tokens is reached.
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
 * Checks the sizes that would make validation expensive, because it compares all fields of the same name with each other.
 *
 * @throws GRAPHQL_SYNTAX for a name that is too long, QUERY_TOO_COMPLEX for too many fields or fragment spreads
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
 * Breaks up the linked list of tokens, which is not needed after parsing and would keep the comments in memory. Returns the number
 * of tokens, or the maximum if the document was parsed without locations.
 */
function unlinkTokens({ loc }: DocumentNode): number {
  // Without a location, the document does not refer to its tokens.
  if (loc === undefined) return documentTokensMax;
  let count = 0;
  let token: Token | null | undefined = loc.startToken;
  while (token != null) {
    const { next }: Token = token;
    // Read-only by its type, but nothing else uses this object.
    Object.assign(token, { prev: null, next: null });
    token = next;
    count += 1;
  }
  return count;
}

/** Validates a document. Returns GRAPHQL_INVALID errors, or QUERY_TOO_COMPLEX as `findErrors`; none if it is valid. */
export function validateDocument(document: DocumentNode): readonly GraphQLError[] {
  const known = errorsOf.get(document);
  if (known !== undefined) return known;
  const characters = textOf.get(document)?.length ?? Number.POSITIVE_INFINITY;
  const errors = findErrors(document, characters).map((error) =>
    isErrorCode(error.extensions.code) ? error : withCode('GRAPHQL_INVALID', withoutValue(error)),
  );
  errorsOf.set(document, errors);
  return errors;
}

/** Removes the text of a token from a message, for the same reason as `withoutValue`. The error has the location of the token. */
function withoutToken(message: string): string {
  return message.replace(/ (Name|Int|Float|String|BlockString|Comment) "[\s\S]*$/, ' $1.');
}

/**
 * Removes the value of a literal from the message about it: the value may be a secret that was pasted into the wrong field.
 * GraphQL.js puts an unknown enum value at the beginning of the message, any other value after a colon or the word "found", and may
 * then suggest other values.
 */
function withoutValue(error: GraphQLError): GraphQLError {
  if (error.nodes?.some(({ kind }) => kind.endsWith('Value')) !== true) return error;
  const message = error.message
    .replace(/^Value "[\s\S]*" does not exist in/, 'This value does not exist in')
    .replace(/(?:: |, found |\. Did you mean )[\s\S]*$/, '');
  return coded('GRAPHQL_INVALID', `${message.replace(/\.$/, '')}.`, error);
}

/** Adds a code to an error and keeps everything else, such as the HTTP status from yoga. */
function withCode(code: ErrorCode, error: GraphQLError): GraphQLError {
  return new GraphQLError(shortened(error.message), {
    nodes: error.nodes ?? null,
    source: error.source ?? null,
    positions: error.positions ?? null,
    path: error.path ?? null,
    extensions: { ...error.extensions, code },
  });
}
