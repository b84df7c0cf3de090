// Documents that clients send: parsed and validated once, as long as they come again.

import { type DocumentNode, GraphQLError, parse, type Source, validate } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { ErrorCode } from '../domain/errors.ts';
import { coded } from './errors.ts';
import { documentTokensMax } from './limits.ts';
import { schema } from './schema.ts';

/** Documents kept, and characters in all of them: a document is kept with its text, which may be mostly blanks. */
const keptMax = 200;
const keptCharactersMax = 4_000_000;

const kept = new LRUCache<string, DocumentNode>({
  max: keptMax,
  maxSize: keptCharactersMax,
  sizeCalculation: (_document, text) => text.length + 1,
});
const errorsOf = new WeakMap<DocumentNode, readonly GraphQLError[]>();

/** Parses a document, or gives the same object as the last time. Throws GRAPHQL_SYNTAX. */
export function parseDocument(source: string | Source): DocumentNode {
  const text = typeof source === 'string' ? source : source.body;
  const known = kept.get(text);
  if (known !== undefined) return known;
  const document = parseWithinLimits(text);
  kept.set(text, document);
  return document;
}

function parseWithinLimits(text: string): DocumentNode {
  try {
    return parse(text, { maxTokens: documentTokensMax });
  } catch (error) {
    if (error instanceof GraphQLError) throw coded('GRAPHQL_SYNTAX', withoutToken(error.message), error);
    // The parser calls itself for each bracket, and runs out of stack on fewer of them than there may be tokens.
    if (error instanceof RangeError) throw coded('GRAPHQL_SYNTAX', 'The document nests too deep to be read.');
    throw error;
  }
}

/** Validates a document. Gives GRAPHQL_INVALID errors; none when it is valid. */
export function validateDocument(document: DocumentNode): readonly GraphQLError[] {
  const known = errorsOf.get(document);
  if (known !== undefined) return known;
  const errors = validate(schema, document).map((error) => withCode('GRAPHQL_INVALID', withoutValue(error)));
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
  return new GraphQLError(error.message, {
    nodes: error.nodes ?? null,
    source: error.source ?? null,
    positions: error.positions ?? null,
    path: error.path ?? null,
    extensions: { ...error.extensions, code },
  });
}
