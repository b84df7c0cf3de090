// Our side towards an identity provider: the URLs and the metadata of a route's service provider. Pure.

import { DOMImplementation, type Element, XMLSerializer } from '@xmldom/xmldom';
import { bindings, namespaces, protocol } from './names.ts';

/** The URLs to configure at the identity provider (spec, "SAML module"). */
export interface ServiceProviderUrls {
  /** Also the URL of the metadata. */
  readonly entityId: string;
  readonly assertionConsumerService: string;
  readonly singleLogout: string;
}

/** Returns the URLs of a route's service provider. */
export function serviceProviderUrls(baseUrl: string, routeId: string): ServiceProviderUrls {
  const entityId = `${baseUrl}/saml/${routeId}`;
  return { entityId, assertionConsumerService: `${entityId}/acs`, singleLogout: `${entityId}/slo` };
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
  readonly certificatePem: string;
  readonly nameidFormat: string;
}

/**
 * Writes the metadata of a service provider (SAML metadata 2.0, section 2.4.4), with the elements in schema order. There is no XML
 * declaration, which a UTF-8 document does not need.
 */
export function writeServiceProviderMetadata(urls: ServiceProviderUrls, provider: ServiceProvider): string {
  const document = new DOMImplementation().createDocument(namespaces.metadata, 'EntityDescriptor');
  const root = document.documentElement;
  if (root === null) throw new Error('A document that was created with a root has one.');
  root.setAttribute('entityID', urls.entityId);

  const add = (parent: Element, name: string, attributes: Record<string, string> = {}, text = ''): Element => {
    const namespace = name.startsWith('ds:') ? namespaces.signature : namespaces.metadata;
    const element = document.createElementNS(namespace, name);
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
  const x509Data = add(add(add(role, 'KeyDescriptor', { use: 'signing' }), 'ds:KeyInfo'), 'ds:X509Data');
  add(x509Data, 'ds:X509Certificate', {}, provider.certificatePem.replace(/-----[A-Z ]+-----|\s/g, ''));
  for (const binding of [bindings.post, bindings.redirect]) {
    add(role, 'SingleLogoutService', { Binding: binding, Location: urls.singleLogout });
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
