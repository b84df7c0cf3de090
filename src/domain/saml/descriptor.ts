// Parses the metadata of an identity provider: its root, its roles, and their content. Pure.

import type { Document, Element } from '@xmldom/xmldom';
import { invalid } from '../errors.ts';
import { checkText } from '../text.ts';
import { formatTimestamp, parseTimestamp } from '../time.ts';
import { elementsOf, textOf } from './elements.ts';
import { type BindingName, bindings, entityIdCharactersMax, namespaces } from './names.ts';
import { parseXml } from './xml.ts';

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
  /** Where it accepts responses. */
  readonly responseLocation: string;
}

/** The metadata of an identity provider. */
export interface Descriptor {
  readonly entityId: string;
  /** When the metadata expires, in RFC 3339; null if unspecified or unreadable. */
  readonly validUntil: string | null;
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
export function readDescriptor(field: string, metadata: string): Descriptor {
  const root = readRoot(field, parseXml(field, checkText(field, metadata, idpMetadataBytesMax)));
  const entityId = root.getAttribute('entityID') ?? '';
  if (entityId === '') throw invalid(field, 'must have an `entityID` on its EntityDescriptor.');
  if (entityId.length > entityIdCharactersMax) {
    throw invalid(field, `must have an \`entityID\` of at most ${entityIdCharactersMax} characters.`);
  }
  const roles = childrenOf(root, 'IDPSSODescriptor');
  return {
    entityId,
    validUntil: earliest([root, ...roles].map((element) => element.getAttribute('validUntil'))),
    ssoServices: roles
      .flatMap((role) => childrenOf(role, 'SingleSignOnService'))
      .map((service) => ({
        binding: service.getAttribute('Binding') ?? '',
        location: service.getAttribute('Location') ?? '',
      })),
    logoutServices: roles
      .flatMap((role) => childrenOf(role, 'SingleLogoutService'))
      .map((service) => {
        const location = service.getAttribute('Location') ?? '';
        const responseLocation = service.getAttribute('ResponseLocation') ?? location;
        return { binding: service.getAttribute('Binding') ?? '', location, responseLocation };
      }),
    signingCertificates: roles.flatMap(signingCertificatesOf),
  };
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
    .filter((key) => ['', 'signing'].includes(key.getAttribute('use') ?? ''))
    .flatMap((key) => childrenOf(key, 'KeyInfo', namespaces.signature))
    .flatMap((info) => childrenOf(info, 'X509Data', namespaces.signature))
    .flatMap((data) => childrenOf(data, 'X509Certificate', namespaces.signature))
    .map(textOf);
}

function earliest(timestamps: readonly (string | null)[]): string | null {
  const instants = timestamps.flatMap((text) => {
    try {
      return [parseTimestamp('validUntil', text ?? '')];
    } catch {
      return [];
    }
  });
  const [first] = instants.sort((a, b) => a.getTime() - b.getTime());
  return first === undefined ? null : formatTimestamp(first);
}

/** Returns the binding for sending messages to an endpoint; null if it is not supported or the location is not an http(s) URL. */
export function bindingOf({ binding, location }: SsoService): BindingName | null {
  if (!URL.canParse(location) || !/^https?:$/.test(new URL(location).protocol)) return null;
  return binding === bindings.redirect ? 'redirect' : binding === bindings.post ? 'post' : null;
}
