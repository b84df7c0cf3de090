// Our side towards an identity provider: the URLs and the metadata of a route's service provider. Pure.

import { DOMImplementation, type Element, XMLSerializer } from '@xmldom/xmldom';
import { contentAlgorithms, keyTransports, rsaOaepMgf1p } from './encryption.ts';
import { bindings, namespaces, protocol } from './namespaces.ts';
import type { KeyUse } from './signing-key.ts';

export interface AnsweredUrls {
  /** Also the URL of the metadata. */
  readonly entityId: string;
  readonly assertionConsumerService: string;
}

/** The URLs to configure at the identity provider (spec, "SAML module"). */
export interface ServiceProviderUrls extends AnsweredUrls {
  readonly singleLogout: string;
}

/** Returns the URLs of a route's service provider. */
export function serviceProviderUrls(baseUrl: string, routeId: string): ServiceProviderUrls {
  const entityId = `${baseUrl}/saml/${routeId}`;
  return { entityId, assertionConsumerService: `${entityId}/acs`, singleLogout: `${entityId}/slo` };
}

/** Returns the URLs of a sign-in provider: of the dashboard, which takes no logouts. */
export function signInUrls(baseUrl: string, providerId: string): AnsweredUrls {
  const entityId = `${baseUrl}/dashboard/sign-in/${providerId}/metadata`;
  return { entityId, assertionConsumerService: `${baseUrl}/dashboard/sign-in/${providerId}/acs` };
}

/**
 * Returns the path at our own address that leads to the identity provider with a state, and without one to the application, where a
 * login begins.
 */
export function loginPath(routeId: string, kind: 'saml' | 'oidc' = 'saml'): string {
  return `/${kind}/${routeId}/login`;
}

/** The content of the metadata besides the URLs. */
export interface ServiceProvider {
  /** The certificate of the key that signs requests. */
  readonly certificatePem: string;
  /** The certificate of the key that will sign requests, or that signed them before; null outside of a replacement. */
  readonly otherCertificatePem: string | null;
  /** The certificate of the key that assertions may be encrypted for; null if there is none. */
  readonly encryptionCertificatePem: string | null;
  readonly nameidFormat: string;
}

const namespaceOf: Readonly<Record<string, string>> = { ds: namespaces.signature, xenc11: namespaces.encryption11 };

/**
 * Writes the metadata of a service provider (SAML metadata 2.0, section 2.4.4), with the elements in schema order. There is no XML
 * declaration, which a UTF-8 document does not need.
 */
export function writeServiceProviderMetadata(
  urls: AnsweredUrls & Partial<ServiceProviderUrls>,
  provider: ServiceProvider,
): string {
  const document = new DOMImplementation().createDocument(namespaces.metadata, 'EntityDescriptor');
  const root = document.documentElement;
  if (root === null) throw new Error('A document that was created with a root has one.');
  root.setAttribute('entityID', urls.entityId);

  const add = (parent: Element, name: string, attributes: Record<string, string> = {}, text = ''): Element => {
    const [prefix = ''] = name.split(/:.*/);
    const element = document.createElementNS(namespaceOf[prefix] ?? namespaces.metadata, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== '') element.appendChild(document.createTextNode(text));
    parent.appendChild(element);
    return element;
  };
  const role = add(root, 'SPSSODescriptor', {
    protocolSupportEnumeration: protocol,
    AuthnRequestsSigned: 'true',
    WantAssertionsSigned: 'true',
  });
  const addKey = (use: KeyUse, certificatePem: string): Element => {
    const descriptor = add(role, 'KeyDescriptor', { use });
    const x509Data = add(add(descriptor, 'ds:KeyInfo'), 'ds:X509Data');
    add(x509Data, 'ds:X509Certificate', {}, certificatePem.replace(/-----[A-Z ]+-----|\s/g, ''));
    return descriptor;
  };
  addKey('signing', provider.certificatePem);
  if (provider.otherCertificatePem !== null) addKey('signing', provider.otherCertificatePem);
  if (provider.encryptionCertificatePem !== null) {
    const descriptor = addKey('encryption', provider.encryptionCertificatePem);
    for (const { algorithm } of contentAlgorithms) add(descriptor, 'EncryptionMethod', { Algorithm: algorithm });
    for (const { algorithm, digest, mask } of keyTransports) {
      const method = add(descriptor, 'EncryptionMethod', { Algorithm: algorithm });
      add(method, 'ds:DigestMethod', { Algorithm: digest });
      if (algorithm !== rsaOaepMgf1p) add(method, 'xenc11:MGF', { Algorithm: mask });
    }
  }
  const { singleLogout } = urls;
  if (singleLogout !== undefined) {
    for (const binding of [bindings.post, bindings.redirect]) {
      add(role, 'SingleLogoutService', { Binding: binding, Location: singleLogout });
    }
  }
  add(role, 'NameIDFormat', {}, provider.nameidFormat);
  add(role, 'AssertionConsumerService', {
    Binding: bindings.post,
    Location: urls.assertionConsumerService,
    index: '0',
    isDefault: 'true',
  });
  return new XMLSerializer().serializeToString(document, { requireWellFormed: true });
}
