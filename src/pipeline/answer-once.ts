// The `Idempotency-Key` header: a request that is repeated with its key gets the answer of the first, whatever happened in between.
// Follows draft-ietf-httpapi-idempotency-key-header-07, and Stripe where the draft leaves the behavior open.

import { hash } from 'node:crypto';
import type { Request } from 'express';
import { SallyportError } from '../domain/errors.ts';
import { keyInUse, keyReused } from '../domain/values/idempotency-errors.ts';
import type { IdempotentRequest, KeptAnswer } from '../storage/idempotency.ts';
import type { Storage } from '../storage/storage.ts';
import type { Answer } from '../wire/send.ts';
import { refusedRequest } from './identify.ts';
import type { Caller, Reply } from './request.ts';

/** The header, and the one that marks the answer of a request that was carried out before. */
export const idempotencyKeyHeader = 'Idempotency-Key';
export const replayedHeader = 'Idempotency-Replayed';

/** A request that may change something. */
export interface ChangingRequest {
  readonly request: Request;
  readonly reply: Reply;
  readonly identity: Caller;
  /** What it requests, except for its body: a request with the same key must request the same. */
  readonly asks: () => readonly (string | null)[];
}

/** An answer, and whether repetitions of its request get it too. */
export interface FirstAnswer extends Answer {
  readonly isKept: boolean;
}

/**
 * Answers a request that may change something: with `make` if it has no key, and otherwise once.
 *
 * @param make answers the request, given the record of its key; null without a key
 * @throws IDEMPOTENCY_KEY_INVALID, IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_KEY_IN_USE, FORBIDDEN as `Idempotency.open`, and what
 *   `make` throws
 */
export type AnswerOnce = (
  changing: ChangingRequest,
  make: (known: IdempotentRequest | null) => Promise<FirstAnswer>,
) => Promise<Answer>;

/**
 * Creates the function that answers requests once.
 *
 * @param report receives why an answer could not be kept. The answer is sent anyway: what it reports has been done
 */
export function createAnswerOnce(
  { idempotency, refusals }: Pick<Storage, 'idempotency' | 'refusals'>,
  report: (requestId: string, error: unknown) => void,
): AnswerOnce {
  /** Hashes of the requests that are being answered, by account and key. */
  const underWay = new Map<string, string>();
  /** Notes a refusal for the audit trail: a request refused here is not executed, which would note it. */
  const noteRefusal = (reply: Reply, caller: Caller, error: unknown): never => {
    if (error instanceof SallyportError && error.code === 'FORBIDDEN') {
      refusals.note(refusedRequest(reply, caller, error.code), caller);
    }
    throw error;
  };

  return async ({ request, reply, identity, asks }, make) => {
    const key = readKey(request);
    if (key === null) return make(null);
    // Callers without an API key have idempotency keys of their own, which must not collide with those of the account.
    const keyHash = hash('sha256', identity.isMember ? key : `${identity.actor} ${key}`, 'hex');
    const requestHash = hashOf(asks(), request.body);
    const name = `${identity.accountId} ${keyHash}`;
    const other = underWay.get(name);
    if (other !== undefined) throw other === requestHash ? keyInUse() : keyReused();
    underWay.set(name, requestHash);
    try {
      const known = await idempotency
        .open({ identity, keyHash, requestHash })
        .catch((error: unknown) => noteRefusal(reply, identity, error));
      const answer =
        known.answer ?? (await carryOut(known, make, (error) => report(reply.locals.info.requestId, error)));
      if (known.answer !== null || known.repeats) reply.setHeader(replayedHeader, 'true');
      return answer;
    } finally {
      underWay.delete(name);
    }
  };
}

async function carryOut(
  known: IdempotentRequest,
  make: (known: IdempotentRequest) => Promise<FirstAnswer>,
  report: (error: unknown) => void,
): Promise<Answer> {
  const answer = await make(known);
  if (known.conflict !== null) throw known.conflict;
  const kept = answer.isKept ? toKeep(answer) : null;
  if (kept === null) return answer;
  try {
    return await known.keep(kept);
  } catch (error) {
    report(error);
    return answer;
  }
}

/** Returns an answer as it is kept; null for one in pieces, which is too large. */
function toKeep({ status, headers, body }: Answer): KeptAnswer | null {
  return body === null || typeof body === 'string' ? { status, headers, body } : null;
}

// As Node writes header names.
const headerName = idempotencyKeyHeader.toLowerCase();
/** Longest key, in characters: Stripe's limit. */
const keyCharactersMax = 255;
/** A string of structured fields (RFC 9651, section 3.3.3). */
const quotedForm = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
const plainForm = /^[\x21\x23-\x7e][\x20-\x7e]*$/;

/** Returns whether a request carries a key, which may be invalid. */
export function carriesKey({ headers }: Request): boolean {
  return headers[headerName] !== undefined;
}

/** Reads the key: a string in quotes, as in the draft, or without them, as clients send it. Returns null if there is none. */
function readKey(request: Request): string | null {
  if (!carriesKey(request)) return null;
  const [text = '', another] = request.headersDistinct[headerName] ?? [];
  const key = plainForm.test(text) ? text : (quotedForm.exec(text)?.[1]?.replace(/\\(.)/g, '$1') ?? '');
  if (another !== undefined || key === '' || key.length > keyCharactersMax) {
    throw new SallyportError(
      'IDEMPOTENCY_KEY_INVALID',
      `Send one Idempotency-Key of 1 to ${keyCharactersMax} printable ASCII characters, such as a UUID.`,
    );
  }
  return key;
}

/** Returns a hash that tells a request from others. The body counts byte for byte, as it was before compression. */
function hashOf(asks: readonly (string | null)[], body: unknown): string {
  const bytes = body instanceof Buffer ? body : Buffer.alloc(0);
  return hash('sha256', Buffer.concat([Buffer.from(JSON.stringify(asks)), bytes]), 'hex');
}
