// The form in which a message of an identity provider arrives (SAML bindings 3.5; Back-Channel Logout 1.0, section 2.5).

import express, { type Request, type Response } from 'express';
import { SallyportError } from '../../domain/errors.ts';
import { messageBytesMax } from '../../domain/saml/message.ts';
import { LoginRefusal } from '../../domain/saml/refusal.ts';
import { receiveBytes } from '../../pipeline/body.ts';

/** Largest body in bytes: Base64 with some of its characters escaped, and the other fields. */
const bodyBytesMax = messageBytesMax * 1.5 + 8192;
/** Fewer than for JSON: these bodies do not wait for a turn. */
const piecesMax = 512;
const readerOf = (limit: number) => express.raw({ type: 'application/x-www-form-urlencoded', limit, inflate: false });
const readMessage = readerOf(bodyBytesMax);

/**
 * Receives the form.
 *
 * @param bytesMax largest body; by default that of a SAML message
 * @returns a function that parses it, which takes time that a sender waits for
 * @throws LoginRefusal if the body is not a form, or is too large
 */
export async function receiveMessageForm(
  request: Request,
  reply: Response,
  bytesMax?: number,
): Promise<() => URLSearchParams> {
  try {
    await receiveBytes(bytesMax === undefined ? readMessage : readerOf(bytesMax), request, reply, piecesMax);
  } catch (error) {
    throw formError(error);
  }
  const body: unknown = request.body;
  if (!(body instanceof Buffer) || !request.complete) throw new LoginRefusal('malformed', 'The body is not a form.');
  return () => new URLSearchParams(body.toString());
}

function formError(error: unknown): LoginRefusal {
  const isTooLarge =
    (error instanceof Error && 'type' in error && error.type === 'entity.too.large') ||
    (error instanceof SallyportError && error.code === 'BODY_TOO_LARGE');
  return new LoginRefusal(isTooLarge ? 'too_large' : 'malformed', 'The form is too large, or broken.');
}
