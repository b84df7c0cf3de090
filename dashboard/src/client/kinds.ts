// The kinds of objects: their names and pages, and how a single object is named.

/** Description of a kind of object. */
interface KindInfo {
  readonly title: string;
  readonly plural: string;
  /** The area of the scopes that its objects require. */
  readonly area: string;
  /** Returns the path of an object's page below the dashboard; null if the kind has no pages. */
  readonly page: ((id: string) => string) | null;
  /** Whether a deleted object cannot be restored. */
  readonly isFinal?: true;
}

/** Every kind, by its GraphQL type name. */
export const kinds: Readonly<Record<string, KindInfo>> = {
  IpPolicy: { title: 'IP policy', plural: 'IP policies', area: 'ip-policies', page: (id) => `/ip-policies/${id}` },
  IpPolicyRule: { title: 'IP policy rule', plural: 'IP policy rules', area: 'ip-policies', page: null },
  IpRestriction: {
    title: 'IP restriction',
    plural: 'IP restrictions',
    area: 'ip-restrictions',
    page: (id) => `/ip-restrictions/${id}`,
  },
  SshCertificateAuthority: {
    title: 'SSH authority',
    plural: 'SSH authorities',
    area: 'ssh',
    page: (id) => `/ssh/authorities/${id}`,
    isFinal: true,
  },
  SshHostCertificate: {
    title: 'host certificate',
    plural: 'host certificates',
    area: 'ssh',
    page: (id) => `/ssh/certificates/${id}`,
    isFinal: true,
  },
  SshEnrollmentToken: {
    title: 'enrollment token',
    plural: 'enrollment tokens',
    area: 'ssh',
    page: (id) => `/ssh/tokens/${id}`,
    isFinal: true,
  },
  HttpsEdge: { title: 'HTTPS edge', plural: 'HTTPS edges', area: 'https-edges', page: (id) => `/https-edges/${id}` },
  HttpsEdgeRoute: { title: 'route', plural: 'routes', area: 'https-edges', page: (id) => `/https-edges/routes/${id}` },
  SamlSession: { title: 'user session', plural: 'user sessions', area: 'https-edges', page: null, isFinal: true },
  TlsEdge: { title: 'TLS edge', plural: 'TLS edges', area: 'tls-edges', page: (id) => `/tls-edges/${id}` },
  TunnelGroupBackend: { title: 'backend', plural: 'backends', area: 'backends', page: (id) => `/backends/${id}` },
  ApiKey: { title: 'API key', plural: 'API keys', area: 'api-keys', page: (id) => `/api-keys/${id}`, isFinal: true },
  DashboardSession: { title: 'sign-in', plural: 'sign-ins', area: 'api-keys', page: null, isFinal: true },
};

/** Returns the title of a kind; its type name if the kind is unknown. */
export const titleOf = (kind: string): string => kinds[kind]?.title ?? kind;

/** Returns the path of an object's page; null if it has none. */
export const pageOf = (kind: string, id: string): string | null => kinds[kind]?.page?.(id) ?? null;

/** Returns the page of a rule: that of its policy, filtered to the rules that contain a text. */
export const pageOfRule = ({ ipPolicy }: { readonly ipPolicy: { readonly id: string } }, sought: string): string =>
  `/ip-policies/${ipPolicy.id}?${new URLSearchParams({ search: sought })}`;

/** Returns whether a text has the form of an object identifier. The object may no longer exist. */
export const isIdentifier = (text: string): boolean => /^[a-z]+_[\da-z]{26}$/.test(text);

/** The fields that an object may be named by. */
interface Nameable {
  readonly id: string;
  readonly description?: string;
  readonly hostports?: readonly string[];
  readonly principals?: readonly string[];
  readonly match?: string;
}

/** Returns the display name of an object: its description, else its first host, principal or path, else its identifier. */
export const nameOf = ({ id, description, hostports, principals, match }: Nameable): string =>
  description || hostports?.[0] || principals?.[0] || match || id;
