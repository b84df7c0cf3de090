// The traffic to Sallyport itself that IP restrictions guard, and the types of restrictions that apply to it. Pure.

/** The types of IP restrictions that guard Sallyport: for requests with an API key, and for those of a dashboard session. */
export type OwnTraffic = 'api' | 'dashboard';

/** Returns the kind of traffic of a request. What counts is how it came in, not the key that it acts for. */
export function trafficOf({ dashboardSessionId }: { readonly dashboardSessionId?: string | undefined }): OwnTraffic {
  return dashboardSessionId === undefined ? 'api' : 'dashboard';
}

/**
 * Returns the types of the restrictions that apply to a kind of traffic. If no restriction is enforced for sessions, those for API
 * keys apply to sessions too: otherwise a stolen key that is refused could create a session and get in that way.
 *
 * @param guardsSessions whether a restriction of type `dashboard` is enforced
 */
export function typesJudging(traffic: OwnTraffic, guardsSessions: boolean): readonly OwnTraffic[] {
  if (traffic === 'api') return ['api'];
  return guardsSessions ? ['dashboard'] : ['dashboard', 'api'];
}
