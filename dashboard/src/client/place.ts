// Where the dashboard and the server are. Everything is relative to the page's base, which the server writes into it.

const base = new URL(document.baseURI);

/** The path of the dashboard without a slash at its end, such as `/dashboard`, or `/door/dashboard` behind a proxy. */
export const dashboardPath = base.pathname.replace(/\/$/, '');

/** The address of the server: what is beside the dashboard. */
export const serverUrl = new URL('..', base).href.replace(/\/$/, '');

/** The address of the GraphQL endpoint. */
export const graphqlUrl = `${serverUrl}/graphql`;

/** The address of the session that an API key is exchanged for. */
export const sessionUrl = `${dashboardPath}/session`;

/**
 * What requests with the session's cookie must carry. A page of another site can make a browser send the cookie, but no header
 * (https://cheatsheetseries.owasp.org/cheatsheets/Cross-Site_Request_Forgery_Prevention_Cheat_Sheet.html, "Custom Request Headers").
 */
export const ownHeaders = { 'Sallyport-Dashboard': '1' };

/** The same for what nobody has asked for, such as reading again what others have changed: it keeps no session alive. */
export const backgroundHeaders = { 'Sallyport-Dashboard': 'background' };
