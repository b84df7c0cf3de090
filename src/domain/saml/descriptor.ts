// Parses the metadata of an identity provider: its root, its roles, and their content. Pure.

import { type Document, type Element, XMLSerializer } from '@xmldom/xmldom';
import type { Steps } from '../concurrency/steps.ts';
import { invalid, type SallyportError } from '../errors.ts';
import { checkText, truncateText } from '../values/text.ts';
import { formatTimestamp } from '../values/time.ts';
import { counted, listed } from '../wording.ts';
import { elementsOf, textOf } from './elements.ts';
import { type BindingName, bindings, entityIdCharactersMax, namespaces } from './namespaces.ts';
import { parseDuration, parseInstant } from './times.ts';
import { parseXmlInSteps } from './xml.ts';

/** Longest metadata, in bytes of UTF-8. */
export const idpMetadataBytesMax = 256 * 1024;

// A type rather than an interface, because TypeScript accepts only types as JSON. It is stored next to the metadata text.

/** Where an identity provider accepts requests. */
export type SsoService = {
  readonly binding: string;
  readonly location: string;
};

/** Where an identity provider accepts logout messages. */
export interface LogoutService extends SsoService {
  readonly responseLocation: string;
}

/** The metadata of an identity provider. */
export interface Descriptor {
  readonly entityId: string;
  /** When the metadata expires, in RFC 3339; null if unspecified or unreadable. */
  readonly validUntil: string | null;
  /** What is said about the expiry but is not a time; null if nothing. */
  readonly unreadableExpiry: string | null;
  /** Seconds after which it says to be read again; null if unspecified. */
  readonly cacheSeconds: number | null;
  readonly ssoServices: readonly SsoService[];
  readonly logoutServices: readonly LogoutService[];
  /** The certificates of the signing keys, as Base64 that has not been decoded yet. */
  readonly signingCertificates: readonly string[];
}

/**
 * Parses metadata.
 *
 * @throws INVALID_INPUT as `parseXml`, if the text is too long, or if the root is not an `EntityDescriptor` with an `entityID`
 */
export function* readDescriptor(field: string, metadata: string): Steps<Descriptor> {
  const text = checkText(field, metadata, idpMetadataBytesMax);
  if (/^\s*https?:\/\/\S+\s*$/.test(text)) {
    throw invalid(
      field,
      'is only an address. Give it as the URL at which the metadata is read, or give the XML that it shows.',
    );
  }
  const root = readRoot(field, yield* parseXmlInSteps(field, text));
  yield;
  const entityId = trimmed(root, 'entityID');
  if (entityId === '') throw invalid(field, 'must have an `entityID` on its EntityDescriptor.');
  if (entityId.length > entityIdCharactersMax) {
    throw invalid(field, `must have an \`entityID\` of at most ${entityIdCharactersMax} characters.`);
  }
  const roles = childrenOf(root, 'IDPSSODescriptor');
  const servicesOf = (name: string) => roles.flatMap((role) => childrenOf(role, name));
  return {
    entityId,
    ...readExpiry(attributesOf([root, ...roles], 'validUntil')),
    cacheSeconds: shortestDuration(attributesOf([root, ...roles], 'cacheDuration')),
    ssoServices: servicesOf('SingleSignOnService').map((service) => ({
      binding: trimmed(service, 'Binding'),
      location: trimmed(service, 'Location'),
    })),
    logoutServices: servicesOf('SingleLogoutService').map((service) => {
      const location = trimmed(service, 'Location');
      const responseLocation = trimmed(service, 'ResponseLocation');
      return {
        binding: trimmed(service, 'Binding'),
        location,
        responseLocation: responseLocation === '' ? location : responseLocation,
      };
    }),
    signingCertificates: roles.flatMap(signingCertificatesOf),
  };
}

/** Most bytes of an entity ID that a message shows. */
const namedBytesMax = 200;

/**
 * Finds the metadata of one identity provider in a document of one or of several (SAML metadata, 2.3.1). What the document says about
 * its expiry counts for each of them.
 *
 * @param entityId the one to choose; empty for the only one
 * @returns the metadata of that one as text: the whole document if it has no other
 * @throws INVALID_INPUT as `parseXml`, and with the field `idpEntityId` and the entities that there are if it names none of them, or
 *   if there are several and it is empty
 */
export function* selectEntity(field: string, metadata: string, entityId: string): Steps<string> {
  const root = (yield* parseXmlInSteps(field, metadata)).documentElement;
  yield;
  const providers = root === null ? [] : providersIn(root, []);
  const [chosen, ...others] = providers.filter(({ id }) => entityId === '' || id === entityId);
  if (root === null || providers.length === 0) {
    throw invalid(
      field,
      'must be the metadata of an identity provider: it has no EntityDescriptor with an IDPSSODescriptor.',
    );
  }
  if (chosen === undefined || (entityId === '' && others.length > 0)) throw ambiguous(entityId, providers);
  if (chosen.element === root) return metadata;
  const within = [...chosen.ancestors, chosen.element];
  const expiries = readExpiry(attributesOf(within, 'validUntil')).validUntil;
  if (expiries !== null) chosen.element.setAttribute('validUntil', expiries);
  const seconds = shortestDuration(attributesOf(within, 'cacheDuration'));
  if (seconds !== null) chosen.element.setAttribute('cacheDuration', `PT${seconds}S`);
  yield;
  return new XMLSerializer().serializeToString(chosen.element);
}

function ambiguous(entityId: string, providers: readonly { readonly id: string }[]): SallyportError {
  const nameOf = ({ id }: { readonly id: string }) => JSON.stringify(truncateText(id, namedBytesMax));
  const what = entityId === '' ? 'must be given:' : `names ${nameOf({ id: entityId })}, which is not there:`;
  const there = `${counted(providers.length, 'identity provider')}: ${listed(providers, nameOf)}`;
  return invalid('idpEntityId', `${what} the metadata at the address has ${there}. Name one of them.`);
}

/** Finds the entities in a document that are identity providers, each with the elements around it. */
function providersIn(
  element: Element,
  ancestors: readonly Element[],
): { readonly id: string; readonly element: Element; readonly ancestors: readonly Element[] }[] {
  if (element.localName === 'EntityDescriptor') {
    const isProvider = childrenOf(element, 'IDPSSODescriptor').length > 0;
    return isProvider ? [{ id: trimmed(element, 'entityID'), element, ancestors }] : [];
  }
  if (element.localName !== 'EntitiesDescriptor') return [];
  return elementsOf(element).flatMap((child) => providersIn(child, [...ancestors, element]));
}

/** Returns the shortest of durations that can be read, in seconds; null if there is none. */
function shortestDuration(texts: readonly string[]): number | null {
  const durations = texts.flatMap((text) => parseDuration(text) ?? []);
  return durations.length === 0 ? null : Math.min(...durations);
}

function attributesOf(elements: readonly Element[], name: string): string[] {
  return elements.flatMap((element) => element.getAttribute(name) ?? []);
}

function readRoot(field: string, document: Document): Element {
  const root = document.documentElement;
  // Metadata written by hand often lacks the namespace.
  if (root?.localName !== 'EntityDescriptor' || (root.namespaceURI ?? namespaces.metadata) !== namespaces.metadata) {
    throw invalid(
      field,
      `must be the metadata of one identity provider: its root must be EntityDescriptor, in the namespace ` +
        `${namespaces.metadata} or in none.`,
    );
  }
  return root;
}

/** Returns the children with a name, in the namespace or in none, like the root. */
function childrenOf(parent: Element, name: string, namespace: string = namespaces.metadata): Element[] {
  return elementsOf(parent).filter(
    ({ localName, namespaceURI }) => localName === name && (namespaceURI ?? namespace) === namespace,
  );
}

/** Returns the text of the signing certificates. A key without a `use` is for signing too (SAML metadata, 2.4.1.1). */
function signingCertificatesOf(role: Element): string[] {
  return childrenOf(role, 'KeyDescriptor')
    .filter((key) => ['', 'signing'].includes(trimmed(key, 'use')))
    .flatMap((key) => childrenOf(key, 'KeyInfo', namespaces.signature))
    .flatMap((info) => childrenOf(info, 'X509Data', namespaces.signature))
    .flatMap((data) => childrenOf(data, 'X509Certificate', namespaces.signature))
    .map(textOf);
}

/** Longest part of an unreadable time that is repeated, in characters. */
const quotedCharactersMax = 50;

/** Reads when metadata expires: at the earliest of all times in it. */
function readExpiry(times: readonly string[]): Pick<Descriptor, 'validUntil' | 'unreadableExpiry'> {
  const instants: number[] = [];
  let unreadableExpiry: string | null = null;
  for (const text of times) {
    try {
      instants.push(parseInstant(text).getTime());
    } catch {
      unreadableExpiry ??= text.slice(0, quotedCharactersMax);
    }
  }
  const validUntil = instants.length === 0 ? null : formatTimestamp(new Date(Math.min(...instants)));
  return { validUntil, unreadableExpiry };
}

/** Returns the value of an attribute without the white space around it, which people paste with it; empty if there is none. */
function trimmed(element: Element, name: string): string {
  return (element.getAttribute(name) ?? '').trim();
}

/** Returns the binding for sending messages to an endpoint; null if it is not supported or the location is not an http(s) URL. */
export function bindingOf({ binding, location }: SsoService): BindingName | null {
  if (!isWebAddress(location)) return null;
  return binding === bindings.redirect ? 'redirect' : binding === bindings.post ? 'post' : null;
}

/**
 * Returns whether a browser can be sent to a location: an absolute http(s) URL. URL parsers complete what lacks the slashes, such as
 * `https:sso`, but a browser that finds it in a page of ours takes it for an address of ours.
 */
export function isWebAddress(location: string): boolean {
  return /^https?:\/\/[^/?#\\\s]/i.test(location) && URL.canParse(location);
}
