// What of the traffic to Sallyport itself IP restrictions guard, each kind by restrictions of its own type. Pure.

/** The types of IP restrictions that guard Sallyport: for requests with an API key, and for those by a session of the dashboard. */
export type OwnTraffic = 'api' | 'dashboard';

/** Tells which restrictions judge a request: by how it came, and not by the key that it acts for. */
export function trafficOf({ dashboardSessionId }: { readonly dashboardSessionId?: string }): OwnTraffic {
  return dashboardSessionId === undefined ? 'api' : 'dashboard';
}
