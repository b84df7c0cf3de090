// How messages about logouts arrive: by redirect or in a form, with a signature that is verified before anything is read. Pure.

import { inflateRawSync } from 'node:zlib';
import type { Element } from '@xmldom/xmldom';
import {
  checkSignatures,
  decodeBase64,
  decodeMessage,
  elementsIn,
  messageBytesMax,
  readMessage,
  readText,
} from './message.ts';
import { LoginRefusal } from './refusal.ts';
import { readSigned, verifyQuery } from './signature.ts';

/** A message about a logout as it arrived. */
export interface ArrivedMessage {
  readonly parameter: 'SAMLRequest' | 'SAMLResponse';
  /** Reads the root of the message. Throws LoginRefusal where it is not signed by one of the keys, or cannot be read. */
  readonly verify: (certificates: readonly string[]) => Element;
  /** Empty without one. */
  readonly relayState: string;
}

/** Longest state that comes back to the identity provider, in characters; the standard allows 80 bytes. */
const relayStateCharactersMax = 1024;

/** Reads the fields of a form (SAML bindings 3.5). Throws LoginRefusal. */
export function readPosted(fields: URLSearchParams): ArrivedMessage {
  const [parameter, encoded] = onlyMessage((name) => fields.getAll(name));
  return {
    parameter,
    relayState: checkRelayState(fields.getAll('RelayState')),
    verify(certificates) {
      const xml = decodeMessage(encoded);
      const document = readMessage(xml);
      const root = document.documentElement;
      if (root === null) throw new LoginRefusal('malformed', 'The message is empty.');
      const signers = checkSignatures(elementsIn(document), [root]);
      if (!signers.has(root)) throw new LoginRefusal('signature', 'The message is not signed.');
      return rootOf(readSigned(xml, root, certificates));
    },
  };
}

/** Reads a query (SAML bindings 3.4). Throws LoginRefusal. */
export function readRedirected(query: string): ArrivedMessage {
  // As they were sent, because the signature covers that.
  const parts = query.split('&').map((part) => {
    const [name = '', ...value] = part.split('=');
    return { name, value: value.join('=') };
  });
  const sent = (name: string) => parts.filter((part) => part.name === name).map(({ value }) => value);
  const [parameter, message] = onlyMessage(sent);
  const relayState = sent('RelayState');
  const read = (name: string) => {
    const [value, ...others] = sent(name);
    if (value === undefined || others.length > 0) throw new LoginRefusal('signature', `The query has not one ${name}.`);
    return value;
  };
  if (sent('SAMLEncoding').some((value) => decoded(value) !== deflate)) {
    throw new LoginRefusal('malformed', 'The message has an unknown encoding.');
  }
  return {
    parameter,
    relayState: checkRelayState(relayState.map((value) => decoded(value.replaceAll('+', ' ')))),
    verify(certificates) {
      const algorithm = read('SigAlg');
      const state = relayState.length === 0 ? '' : `&RelayState=${relayState[0]}`;
      const signed = `${parameter}=${message}${state}&SigAlg=${algorithm}`;
      const signature = decodeBase64(decoded(read('Signature')));
      verifyQuery({ signed, algorithm: decoded(algorithm), signature }, certificates);
      return rootOf(inflate(decodeBase64(decoded(message))));
    },
  };
}

const deflate = 'urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE';

/** Finds the one message among fields. */
function onlyMessage(sent: (name: string) => readonly string[]): [ArrivedMessage['parameter'], string] {
  const names = ['SAMLRequest', 'SAMLResponse'] as const;
  const found = names.flatMap((name) => sent(name).map((value) => [name, value] as const));
  const [first] = found;
  if (first === undefined || found.length > 1) {
    throw new LoginRefusal('malformed', 'There must be one SAMLRequest or one SAMLResponse.');
  }
  return [...first];
}

function checkRelayState([relayState = '', ...others]: readonly string[]): string {
  if (others.length > 0 || relayState.length > relayStateCharactersMax) {
    throw new LoginRefusal(
      'malformed',
      `There must be one RelayState at most, of ${relayStateCharactersMax} characters.`,
    );
  }
  return relayState;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw new LoginRefusal('malformed', 'The query is not correctly percent-encoded.');
  }
}

function inflate(bytes: Uint8Array): string {
  try {
    return readText(inflateRawSync(bytes, { maxOutputLength: messageBytesMax }));
  } catch (error) {
    if (error instanceof LoginRefusal) throw error;
    throw new LoginRefusal('malformed', 'The message cannot be inflated, or is too large.');
  }
}

function rootOf(xml: string): Element {
  const document = readMessage(xml);
  // What is left of a signature in what was signed, or stands in a message whose signature is elsewhere, belongs to nothing.
  checkSignatures(elementsIn(document), []);
  const root = document.documentElement;
  if (root === null) throw new LoginRefusal('malformed', 'The message is empty.');
  return root;
}
