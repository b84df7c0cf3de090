// The form in which a browser brings the response of an identity provider (SAML bindings 3.5).

import express, { type Request, type Response } from 'express';
import { LoginRefusal } from '../domain/saml/refusal.ts';
import { responseBytesMax } from '../domain/saml/response.ts';

/** What the form has in it. */
export interface ResponseForm {
  /** In Base64. */
  readonly response: string;
  /** Empty without one. */
  readonly relayState: string;
}

/** Largest body in bytes: Base64 with some of its characters escaped, and what else there is. */
const bodyBytesMax = responseBytesMax * 1.5 + 8192;
const readBytes = express.raw({ type: 'application/x-www-form-urlencoded', limit: bodyBytesMax, inflate: false });

/** Reads the form. Throws LoginRefusal when it is none, or too large. */
export async function readResponseForm(request: Request, reply: Response): Promise<ResponseForm> {
  await new Promise<void>((resolve, reject) => {
    readBytes(request, reply, (error?: unknown) => (error === undefined ? resolve() : reject(formError(error))));
  });
  const body: unknown = request.body;
  if (!(body instanceof Buffer) || !request.complete) throw new LoginRefusal('malformed', 'The body is not a form.');
  const form = new URLSearchParams(body.toString());
  const [responses, relayStates] = [form.getAll('SAMLResponse'), form.getAll('RelayState')];
  const [response] = responses;
  if (response === undefined || responses.length > 1 || relayStates.length > 1) {
    throw new LoginRefusal('malformed', 'The form must have one SAMLResponse, and at most one RelayState.');
  }
  return { response, relayState: relayStates[0] ?? '' };
}

function formError(error: unknown): LoginRefusal {
  const isTooLarge = error instanceof Error && 'type' in error && error.type === 'entity.too.large';
  return new LoginRefusal(isTooLarge ? 'too_large' : 'malformed', 'The form is too large, or broken.');
}
