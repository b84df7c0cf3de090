// The names of SAML 2.0 that metadata and messages share. Pure.

export const namespaces = {
  metadata: 'urn:oasis:names:tc:SAML:2.0:metadata',
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
  encryption: 'http://www.w3.org/2001/04/xmlenc#',
  encryption11: 'http://www.w3.org/2009/xmlenc11#',
} as const;

/** The protocol that a descriptor declares support for. */
export const protocol = namespaces.protocol;

/** How messages travel through a browser. */
export const bindings = {
  post: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
  redirect: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect',
} as const;
export type BindingName = keyof typeof bindings;

export const successStatus = 'urn:oasis:names:tc:SAML:2.0:status:Success';

/** The formats of a name identifier that a module can require; the first is the default. */
export const nameidFormats = [
  'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
  'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
] as const;
export type NameidFormat = (typeof nameidFormats)[number];

/** Longest entity id (SAML metadata 2.0, section 2.2.1: `entityIDType`). */
export const entityIdCharactersMax = 1024;
/** Longest name and id in a message, in characters. SAML allows 256 for persistent names, but directories use longer ones. */
export const nameCharactersMax = 1024;
