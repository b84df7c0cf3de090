// Our side towards an OpenID provider: the URLs of a route. Pure.

/** The URLs of a route that its provider must know. */
export interface ProviderUrls {
  /** Where the provider sends browsers back to. Each route has its own, so that no provider can answer for another one. */
  readonly redirect: string;
  /** Where the provider says, from server to server, that a user has logged out there. */
  readonly backchannelLogout: string;
}

/** Returns the URLs of a route. */
export function providerUrls(baseUrl: string, routeId: string): ProviderUrls {
  const base = `${baseUrl}/oidc/${routeId}`;
  return { redirect: `${base}/callback`, backchannelLogout: `${base}/backchannel-logout` };
}
