// Logs users in at a route of a service in another process, acting as the identity provider and the proxy.

import { expect } from 'vitest';
import { encode, honest, type IdpKey, signedResponse } from './identity-provider.ts';

/** A route that requires a login, and its service. */
export interface RouteWithLogin {
  /** Where the service listens. */
  readonly url: string;
  /** The service's address as browsers know it. */
  readonly baseUrl: string;
  readonly edgeId: string;
  readonly routeId: string;
  /** A host of the edge. */
  readonly host: string;
  readonly idpKey: IdpKey;
}

let logins = 0;

/** Logs in a user who comes from 203.0.113.7. */
export async function logIn({ url, baseUrl, edgeId, routeId, host, idpKey }: RouteWithLogin, user: string) {
  logins += 1;
  const entityId = `${baseUrl}/saml/${routeId}`;
  const spoken = honest({ entityId, acs: `${entityId}/acs`, inResponseTo: null, now: new Date() });
  const subject = spoken.subject.replace('>amy<', `>${user}<`);
  const attributes = spoken.attributes.replaceAll(/amy/gi, user);
  const response = encode(signedResponse({ ...spoken, subject, attributes }, idpKey, {}, `_a${logins}`));
  const brought = await fetch(`${url}/saml/${routeId}/acs`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ SAMLResponse: response }),
  });
  const { pathname, search } = new URL(brought.headers.get('location') ?? '');
  const answer = await fetch(`${url}/gate/forward-auth/${edgeId}`, {
    headers: {
      Accept: 'text/html',
      'X-Forwarded-Method': 'GET',
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-Host': host,
      'X-Forwarded-Uri': pathname + search,
      'X-Forwarded-For': '203.0.113.7',
    },
    redirect: 'manual',
  });
  expect(answer.status).toBe(302);
}
