// How the dashboard reaches the server: addresses, all relative to the base URL that the server writes into the page, and headers.

const base = new URL(document.baseURI);

/** The path of the dashboard without a trailing slash, such as `/dashboard`, or `/door/dashboard` behind a proxy. */
export const dashboardPath = base.pathname.replace(/\/$/, '');

/** The address of the server, one level above the dashboard, without a trailing slash. */
export const serverUrl = new URL('..', base).href.replace(/\/$/, '');

/** The address of the GraphQL endpoint. */
export const graphqlUrl = `${serverUrl}/graphql`;

/** The address at which an API key is exchanged for a session. */
export const sessionUrl = `${dashboardPath}/session`;

/** The address at which people sign in by a provider, and which tells how they can. */
export const signInUrl = `${dashboardPath}/sign-in`;

/**
 * Header that requests with the session cookie must carry. Another site can make a browser send the cookie, but not a custom header
 * (https://cheatsheetseries.owasp.org/cheatsheets/Cross-Site_Request_Forgery_Prevention_Cheat_Sheet.html, "Custom Request Headers").
 */
export const ownHeaders = { 'Sallyport-Dashboard': '1' };

/** The same for background requests, such as reading again what others have changed: they do not keep a session alive. */
export const backgroundHeaders = { 'Sallyport-Dashboard': 'background' };
