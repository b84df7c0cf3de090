// Our side towards an OpenID provider: the URLs of a route. Pure.

/** The URLs of a route, of which the provider must know the first. */
export interface ProviderUrls {
  /** Where the provider sends browsers back to. Each route has its own, so that no provider can answer for another one. */
  readonly redirect: string;
}

/** Returns the URLs of a route. */
export function providerUrls(baseUrl: string, routeId: string): ProviderUrls {
  return { redirect: `${baseUrl}/oidc/${routeId}/callback` };
}
