// A browser that logs in through the gate at the identity provider of the tests.

import { inflateRawSync } from 'node:zlib';
import { expect } from 'vitest';
import { encode, honest, idpMetadata, type Spoken, signedResponse, wellKnownIdpKey } from './identity-provider.ts';
import { baseUrl, startTime, type TestService } from './service.ts';

/** The key of the identity provider. */
export const idpKey = wellKnownIdpKey();
/** The host of the application. */
export const host = 'app.example.com';

/** What a browser and the set-up of a login need of a service, whether that runs in this process or in its own. */
export type LoginService = Pick<TestService, 'url' | 'rest'>;

/** A route that requires a login. */
export interface Place {
  readonly edgeId: string;
  readonly routeId: string;
  readonly acs: string;
}

/** Creates an edge with one route that requires a login. */
export async function makePlace(service: LoginService, settings: object = {}, match = '/app'): Promise<Place> {
  const { id: edgeId } = (await service.rest('POST', '/edges/https', { hostports: [`${host}:443`] })).body;
  const route = { match_type: 'path_prefix', match };
  const { id: routeId } = (await service.rest('POST', `/edges/https/${edgeId}/routes`, route)).body;
  const place = { edgeId, routeId, acs: `${baseUrl}/saml/${routeId}/acs` };
  await configure(service, place, settings);
  return place;
}

export async function configure(service: LoginService, { edgeId, routeId }: Place, settings: object): Promise<void> {
  const body = { idp_metadata: idpMetadata([idpKey]), ...settings };
  expect((await service.rest('PUT', `/edges/https/${edgeId}/routes/${routeId}/saml`, body)).status).toBe(200);
}

/** A browser: it keeps cookies, and sends its requests through a proxy. */
export class Browser {
  readonly cookies = new Map<string, string>();
  /** The cookies of the service's own address. */
  readonly ownCookies = new Map<string, string>();
  /** Cookies that another host of the same domain has planted. They are sent before the others. */
  readonly planted: string[] = [];
  readonly #service: LoginService;

  constructor(service: LoginService) {
    this.#service = service;
  }

  /** Requests a page of the application, as Caddy would. */
  async open(
    { edgeId }: Place,
    url: string,
    accept = 'text/html',
    way = 'forward-auth',
    others: Record<string, string> = {},
  ) {
    const { protocol, host: named, pathname, search } = new URL(url);
    const cookie = [...this.planted, ...[...this.cookies].map(([name, value]) => `${name}=${value}`)].join('; ');
    const headers = {
      Accept: accept,
      ...(cookie === '' ? {} : { Cookie: cookie }),
      'X-Forwarded-Method': 'GET',
      'X-Forwarded-Proto': protocol.slice(0, -1),
      'X-Forwarded-Host': named,
      'X-Forwarded-Uri': pathname + search,
      'X-Forwarded-For': '203.0.113.7',
      'X-Original-Method': 'GET',
      'X-Original-URL': url,
      ...others,
    };
    const answer = await fetch(`${this.#service.url}/gate/${way}/${edgeId}`, { headers, redirect: 'manual' });
    keepCookies(this.cookies, answer);
    return answer;
  }

  /** Opens a page of the service itself, with the cookies that it has set at its own address. */
  async visit(url: string) {
    expect(url).toMatch(new RegExp(`^${baseUrl}/`));
    const cookie = [...this.ownCookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = cookie === '' ? {} : { Cookie: cookie };
    const answer = await fetch(url.replace(baseUrl, this.#service.url), { headers, redirect: 'manual' });
    keepCookies(this.ownCookies, answer);
    return answer;
  }
}

function keepCookies(cookies: Map<string, string>, { headers }: Response): void {
  for (const set of headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
    if (/; Max-Age=0;/.test(set)) cookies.delete(name);
    else cookies.set(name, value);
  }
}

/** Returns where an answer redirects to. */
export const locationOf = ({ headers }: Response) => headers.get('location') ?? '';
/** Returns what the application would learn about the user. */
export const identityOf = ({ status, headers }: Response) => [
  status,
  headers.get('remote-user'),
  headers.get('remote-groups'),
  headers.get('remote-email'),
];

/** Goes to the identity provider, and returns the request that arrives there. */
export async function leave(browser: Browser, place: Place, url = `https://${host}/app/reports?page=2`) {
  const sent = await browser.open(place, url);
  const asked = await browser.visit(locationOf(sent));
  return readRequest(locationOf(asked));
}

/** Reads the request from a URL at the identity provider. */
export function readRequest(url: string) {
  const { origin, pathname, searchParams } = new URL(url);
  const request = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest') ?? '', 'base64')).toString();
  return {
    at: origin + pathname,
    request,
    requestId: / ID="([^"]+)"/.exec(request)?.[1] ?? '',
  };
}

let assertions = 0;
/** Answers a request as the identity provider. */
export function respond(
  place: Place,
  inResponseTo: string | null,
  other: Partial<Spoken> = {},
  now = startTime,
  key = idpKey,
): string {
  assertions += 1;
  const entityId = `${baseUrl}/saml/${place.routeId}`;
  const spoken = honest({ entityId, acs: place.acs, inResponseTo, now });
  return encode(signedResponse({ ...spoken, ...other }, key, {}, `_a${assertions}`));
}

/** Posts a response, as a browser does that has no cookies, or with its cookies of the service's own address. */
export async function post(
  service: LoginService,
  { acs }: Place,
  SAMLResponse: string,
  RelayState?: string,
  { ownCookies = new Map() }: Partial<Pick<Browser, 'ownCookies'>> = {},
): Promise<Response> {
  const answer = await fetch(acs.replace(baseUrl, service.url), {
    method: 'POST',
    headers: ownCookies.size === 0 ? {} : { Cookie: [...ownCookies].map((cookie) => cookie.join('=')).join('; ') },
    redirect: 'manual',
    body: new URLSearchParams({ SAMLResponse, ...(RelayState === undefined ? {} : { RelayState }) }),
  });
  keepCookies(ownCookies, answer);
  return answer;
}

/** Logs a browser in, from the first page to the last redirect. */
export async function logIn(
  service: LoginService,
  browser: Browser,
  place: Place,
  other: Partial<Spoken> = {},
  now = startTime,
) {
  const { requestId } = await leave(browser, place);
  const brought = await post(service, place, respond(place, requestId, other, now));
  return browser.open(place, locationOf(brought));
}

/** Reads the form on a page that posts a message. */
export function formOf(page: string): { action: string; fields: Map<string, string> } {
  const fields = [...page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
  return {
    action: /<form method="post" action="([^"]+)">/.exec(page)?.[1] ?? '',
    fields: new Map(fields.map(([, name = '', value = '']) => [name, value])),
  };
}
