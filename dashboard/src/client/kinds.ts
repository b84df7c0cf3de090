// The kinds of objects: what each is called, and where its pages are; and what single ones are called.

/** What is known of a kind. */
interface KindInfo {
  readonly title: string;
  readonly plural: string;
  /** The area whose scopes its objects need. */
  readonly area: string;
  /** The page of an object, below the dashboard; null where it has none of its own. */
  readonly page: ((id: string) => string) | null;
  /** Whether nothing puts one back that was deleted. */
  readonly isFinal?: true;
}

/** Every kind, by the name of its type. */
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

/** Gives what a kind is called; its own name where it is not known. */
export const titleOf = (kind: string): string => kinds[kind]?.title ?? kind;

/** Gives the page of an object; null where it has none. */
export const pageOf = (kind: string, id: string): string | null => kinds[kind]?.page?.(id) ?? null;

/** Gives the page of a rule: that of its policy, with those rules alone in which a text is found. */
export const pageOfRule = ({ ipPolicy }: { readonly ipPolicy: { readonly id: string } }, sought: string): string =>
  `/ip-policies/${ipPolicy.id}?${new URLSearchParams({ search: sought })}`;

/** Tells whether a text is the identifier of an object, which may be gone. */
export const isIdentifier = (text: string): boolean => /^[a-z]+_[\da-z]{26}$/.test(text);

/** What an object may be called by. */
interface Nameable {
  readonly id: string;
  readonly description?: string;
  readonly hostports?: readonly string[];
  readonly principals?: readonly string[];
  readonly match?: string;
}

/** Gives what an object is called: what people have written about it, else what it is of, such as its first host, else its identifier. */
export const nameOf = ({ id, description, hostports, principals, match }: Nameable): string =>
  description || hostports?.[0] || principals?.[0] || match || id;
