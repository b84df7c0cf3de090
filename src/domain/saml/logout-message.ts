// Receives logout messages, by redirect or in a form. Their signature is verified before anything is read. Pure.

import type { KeyObject } from 'node:crypto';
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

export interface ArrivedMessage {
  readonly parameter: 'SAMLRequest' | 'SAMLResponse';
  /** Returns the root of the message. Throws LoginRefusal if the message is not signed by one of the keys or cannot be read. */
  readonly verify: (keys: readonly KeyObject[]) => Element;
  /** Empty if there is none. */
  readonly relayState: string;
}

/** Longest RelayState that is returned to the identity provider, in characters; the standard allows 80 bytes. */
const relayStateCharactersMax = 1024;

/** Reads a message from form fields (SAML bindings 3.5). Throws LoginRefusal. */
export function readPosted(fields: URLSearchParams): ArrivedMessage {
  const [parameter, encoded] = onlyMessage((name) => fields.getAll(name));
  return {
    parameter,
    relayState: checkRelayState(fields.getAll('RelayState')),
    verify(keys) {
      const xml = decodeMessage(encoded);
      const document = readMessage(xml);
      const root = document.documentElement;
      if (root === null) throw new LoginRefusal('malformed', 'The message is empty.');
      const signers = checkSignatures(elementsIn(document), [root]);
      if (!signers.has(root)) throw new LoginRefusal('signature', 'The message is not signed.');
      return rootOf(readSigned(xml, root, keys));
    },
  };
}

/** Reads a message from a query (SAML bindings 3.4). Throws LoginRefusal. */
export function readRedirected(query: string): ArrivedMessage {
  // Not decoded, because the signature covers the parameters as they were sent.
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
    verify(keys) {
      const algorithm = read('SigAlg');
      const state = relayState.length === 0 ? '' : `&RelayState=${relayState[0]}`;
      const signed = `${parameter}=${message}${state}&SigAlg=${algorithm}`;
      const signature = decodeBase64(decoded(read('Signature')));
      verifyQuery({ signed, algorithm: decoded(algorithm), signature }, keys);
      return rootOf(inflate(decodeBase64(decoded(message))));
    },
  };
}

const deflate = 'urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE';

/** Returns the only message among the fields. Throws LoginRefusal if there is not exactly one. */
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
  // No signature may be left: neither in the signed part of a posted message, nor in a message whose signature is in the query.
  checkSignatures(elementsIn(document), []);
  const root = document.documentElement;
  if (root === null) throw new LoginRefusal('malformed', 'The message is empty.');
  return root;
}
