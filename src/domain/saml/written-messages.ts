// Our own messages, signed and sent to an identity provider through a browser. Pure except for the signature.

import { type KeyObject, sign } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { DOMImplementation, type Element, XMLSerializer } from '@xmldom/xmldom';
import { SignedXml } from 'xml-crypto';
import { formatTimestamp } from '../values/time.ts';
import type { Endpoint } from './login-provider.ts';
import { namespaces } from './namespaces.ts';

/** The common part of all our messages. */
export interface MessageHead {
  /** A unique XML name. */
  readonly id: string;
  readonly sentAt: Date;
  /** Where the identity provider accepts it. */
  readonly destination: string;
  /** Our own entity id. */
  readonly issuer: string;
}

/** A message as XML, with the id that its signature refers to. */
export interface Message {
  /** The name of its query parameter or form field. */
  readonly parameter: 'SAMLRequest' | 'SAMLResponse';
  readonly xml: string;
  readonly id: string;
}

/** The instruction for the browser: a URL to go to, or a form to post there. */
export type Outgoing =
  | { readonly binding: 'redirect'; readonly location: string }
  | { readonly binding: 'post'; readonly location: string; readonly fields: Readonly<Record<string, string>> };

/** A child element of a message: its name with a namespace prefix, its attributes, and its text or own children. */
export interface Child {
  readonly name: `saml:${string}` | `samlp:${string}`;
  readonly attributes?: Readonly<Record<string, string | null>>;
  readonly content?: string | readonly Child[];
}

/** Writes a protocol message with its issuer and the given children. A null attribute of a child is left out. */
export function writeMessage(
  name: string,
  { id, sentAt, destination, issuer }: MessageHead,
  attributes: Readonly<Record<string, string>>,
  children: readonly Child[],
): string {
  const document = new DOMImplementation().createDocument(namespaces.protocol, `samlp:${name}`);
  const root = document.documentElement;
  if (root === null) throw new Error('A document that was created with a root has one.');
  const head = { ID: id, Version: '2.0', IssueInstant: formatTimestamp(sentAt), Destination: destination };
  for (const [key, value] of Object.entries({ ...head, ...attributes })) root.setAttribute(key, value);
  const add = (parent: Element, { name: child, attributes: given = {}, content = '' }: Child): void => {
    const namespace = child.startsWith('samlp:') ? namespaces.protocol : namespaces.assertion;
    const element = document.createElementNS(namespace, child);
    for (const [key, value] of Object.entries(given)) if (value !== null) element.setAttribute(key, value);
    if (typeof content !== 'string') for (const inner of content) add(element, inner);
    else if (content !== '') element.appendChild(document.createTextNode(content));
    parent.appendChild(element);
  };
  for (const child of [{ name: 'saml:Issuer', content: issuer } as const, ...children]) add(root, child);
  return new XMLSerializer().serializeToString(document, { requireWellFormed: true });
}

/** Signs a message and prepares it for an endpoint. `relayState` comes back with the response; null for none. */
export function sendMessage(
  message: Message,
  { binding, location }: Endpoint,
  relayState: string | null,
  privateKey: KeyObject,
): Outgoing {
  if (binding === 'redirect') return { binding, location: redirectUrl(message, location, relayState, privateKey) };
  const fields = { [message.parameter]: Buffer.from(signXml(message, privateKey)).toString('base64') };
  return { binding, location, fields: relayState === null ? fields : { ...fields, RelayState: relayState } };
}

/** The only algorithm that we sign with. */
const rsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';

/** Returns the URL of a message (SAML bindings 3.4.4.1). The signature covers the query exactly as it is sent. */
function redirectUrl(
  { parameter, xml }: Message,
  location: string,
  relayState: string | null,
  privateKey: KeyObject,
): string {
  const parameters = {
    [parameter]: deflateRawSync(xml).toString('base64'),
    ...(relayState === null ? {} : { RelayState: relayState }),
    SigAlg: rsaSha256,
  };
  const query = Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  const signature = encodeURIComponent(sign('sha256', Buffer.from(query), privateKey).toString('base64'));
  const url = new URL(location);
  url.hash = '';
  url.search = `${url.search === '' ? '' : `${url.search}&`}${query}&Signature=${signature}`;
  return url.href;
}

const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';

/** Signs the whole message, and inserts the signature after the issuer, as the schema requires (SAML core 5.4). */
function signXml({ xml, id }: Message, privateKey: KeyObject): string {
  const signer = new SignedXml({
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    signatureAlgorithm: rsaSha256,
    canonicalizationAlgorithm: exclusive,
  });
  signer.addReference({
    xpath: `/*[@ID='${id}']`,
    transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', exclusive],
    digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
  });
  signer.computeSignature(xml, {
    prefix: 'ds',
    location: { reference: `/*/*[local-name(.)='Issuer']`, action: 'after' },
  });
  return signer.getSignedXml();
}
