// The request that starts a login at an identity provider, signed and on its way. Pure: the clock and the id are arguments.

import { type KeyObject, sign } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { DOMImplementation, XMLSerializer } from '@xmldom/xmldom';
import { formatTimestamp } from '../time.ts';
import { bindings, nameidFormats, namespaces } from './names.ts';
import type { ServiceProviderUrls } from './service-provider.ts';

/** A login to ask for. */
export interface AuthnRequest {
  /** An XML name that nobody can guess. */
  readonly id: string;
  /** Where the identity provider takes it. */
  readonly ssoLocation: string;
  readonly urls: ServiceProviderUrls;
  readonly nameidFormat: string;
  readonly forceAuthn: boolean;
  readonly sentAt: Date;
}

/**
 * Writes a request (SAML core 3.4.1). It demands no way of authentication: to ask for passwords, as is often done, would lock
 * out who logs in by other means.
 */
export function writeAuthnRequest(request: AuthnRequest): string {
  const document = new DOMImplementation().createDocument(namespaces.protocol, 'samlp:AuthnRequest');
  const root = document.documentElement;
  if (root === null) throw new Error('A document that was created with a root has one.');
  const attributes = {
    ID: request.id,
    Version: '2.0',
    IssueInstant: formatTimestamp(request.sentAt),
    Destination: request.ssoLocation,
    ...(request.forceAuthn ? { ForceAuthn: 'true' } : {}),
    ProtocolBinding: bindings.post,
    AssertionConsumerServiceURL: request.urls.assertionConsumerService,
  };
  for (const [name, value] of Object.entries(attributes)) root.setAttribute(name, value);
  const issuer = document.createElementNS(namespaces.assertion, 'saml:Issuer');
  issuer.appendChild(document.createTextNode(request.urls.entityId));
  root.appendChild(issuer);
  const policy = document.createElementNS(namespaces.protocol, 'samlp:NameIDPolicy');
  policy.setAttribute('Format', request.nameidFormat);
  // A transient name is always a new one, and must not be asked for so (errata E14).
  const [, transient] = nameidFormats;
  if (request.nameidFormat !== transient) policy.setAttribute('AllowCreate', 'true');
  root.appendChild(policy);
  return new XMLSerializer().serializeToString(document, { requireWellFormed: true });
}

/**
 * Gives the URL that takes a request to an identity provider, signed (SAML bindings 3.4.4.1).
 *
 * @param relayState comes back with the response; at most 80 bytes
 */
export function redirectUrl(request: AuthnRequest, relayState: string, privateKey: KeyObject): string {
  const parameters = {
    SAMLRequest: deflateRawSync(writeAuthnRequest(request)).toString('base64'),
    RelayState: relayState,
    SigAlg: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  };
  const query = Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  const signature = encodeURIComponent(sign('sha256', Buffer.from(query), privateKey).toString('base64'));
  const url = new URL(request.ssoLocation);
  url.hash = '';
  url.search = `${url.search === '' ? '' : `${url.search}&`}${query}&Signature=${signature}`;
  return url.href;
}
