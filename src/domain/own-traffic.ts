// What of the traffic to Sallyport itself IP restrictions guard, and by restrictions of which types. Pure.

/** The types of IP restrictions that guard Sallyport: for requests with an API key, and for those by a session of the dashboard. */
export type OwnTraffic = 'api' | 'dashboard';

/** Tells what kind of traffic a request is: by how it came, and not by the key that it acts for. */
export function trafficOf({ dashboardSessionId }: { readonly dashboardSessionId?: string }): OwnTraffic {
  return dashboardSessionId === undefined ? 'api' : 'dashboard';
}

/**
 * Names the types of the restrictions that judge a kind of traffic. Where nothing is enforced for sessions, what guards requests with a
 * key guards them too: otherwise a stolen key that is refused would make a session, and get in by that.
 *
 * @param guardsSessions whether a restriction of type `dashboard` is enforced
 */
export function typesJudging(traffic: OwnTraffic, guardsSessions: boolean): readonly OwnTraffic[] {
  if (traffic === 'api') return ['api'];
  return guardsSessions ? ['dashboard'] : ['dashboard', 'api'];
}
