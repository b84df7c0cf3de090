// The request that starts a login at an identity provider. Pure: the clock and the id are arguments.

import { bindings, nameidFormats } from './namespaces.ts';
import { type Message, type MessageHead, writeMessage } from './written-messages.ts';

/** A login to ask for. */
export interface AuthnRequest extends MessageHead {
  readonly assertionConsumerService: string;
  readonly nameidFormat: string;
  readonly forceAuthn: boolean;
}

/**
 * Writes a request (SAML core 3.4.1). It does not require a method of authentication: requiring a password, as is often done,
 * would lock out users who log in by other means.
 */
export function writeAuthnRequest(request: AuthnRequest): Message {
  const { id, nameidFormat, forceAuthn, assertionConsumerService } = request;
  // A transient name is always new, so its request must not have AllowCreate (errata E14).
  const [, transient] = nameidFormats;
  const policy = { Format: nameidFormat, AllowCreate: nameidFormat === transient ? null : 'true' };
  const xml = writeMessage(
    'AuthnRequest',
    request,
    {
      ...(forceAuthn ? { ForceAuthn: 'true' } : {}),
      ProtocolBinding: bindings.post,
      AssertionConsumerServiceURL: assertionConsumerService,
    },
    [{ name: 'samlp:NameIDPolicy', attributes: policy }],
  );
  return { parameter: 'SAMLRequest', xml, id };
}
