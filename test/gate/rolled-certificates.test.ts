// Identity providers replace their certificates while people log in and are logged in: metadata at an address is read early.

import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parseRange } from '../../src/domain/ip/cidr.ts';
import { createOutgoing } from '../../src/outgoing/outgoing.ts';
import {
  assertionXml,
  encode,
  encrypted,
  honest,
  honestLogout,
  idpMetadata,
  logoutXml,
  makeIdpKey,
  responseXml,
  signed,
  signedQuery,
} from '../support/identity-provider.ts';
import {
  Browser,
  host,
  idpKey,
  leave,
  locationOf,
  logIn,
  makePlace,
  type Place,
  post,
  respond,
} from '../support/login.ts';
import { serveMetadata } from '../support/metadata-server.ts';
import { baseUrl, startService, startTime, type TestService } from '../support/service.ts';
import { times } from '../support/times.ts';

const server = await serveMetadata();
const [nextKey, stranger] = [makeIdpKey(), makeIdpKey()];
let service: TestService;
beforeAll(async () => {
  const outgoing = createOutgoing({ outgoingNetworks: [parseRange('networks', '127.0.0.0/8')], outgoingDns: [] });
  service = await startService({ outgoing });
});
afterAll(async () => {
  server.close();
  expect(service.failures).toEqual([]);
  await service.close();
});
let askedBefore: number;
const asked = () => server.asked() - askedBefore;
beforeEach(() => {
  askedBefore = server.asked();
  service.setTime(startTime);
});

const byAddress = () => makePlace(service, { idp_metadata_url: server.url });
/** Begins a login and brings its answer, signed by a key. Returns the status. */
async function arrive(place: Place, key = idpKey, now = startTime): Promise<number> {
  const { requestId } = await leave(new Browser(service), place);
  return (await post(service, place, respond(place, requestId, {}, now, key))).status;
}
const isLoggedIn = async (browser: Browser, place: Place) =>
  (await browser.open(place, `https://${host}/app`, '*/*')).status === 200;

test('a new certificate counts with the first answer that it signs, and whoever is logged in stays so', async () => {
  const place = await byAddress();
  const amy = new Browser(service);
  await logIn(service, amy, place);
  server.say(idpMetadata([nextKey]));
  expect([await arrive(place, nextKey), asked()]).toEqual([303, 1]);
  expect([await isLoggedIn(amy, place), await arrive(place, idpKey)]).toEqual([true, 403]);
  const query = '{ auditEvents(kind: "HttpsEdgeRoute", first: 1) { nodes { action actor { type } } } }';
  expect((await service.graphql(query)).data.auditEvents.nodes).toEqual([
    { action: 'update', actor: { type: 'system' } },
  ]);
});

test('it counts as well where it signs what is encrypted, as Entra ID and AD FS do', async () => {
  const place = await byAddress();
  const entityId = `${baseUrl}/saml/${place.routeId}`;
  const metadata = await (await fetch(entityId.replace(baseUrl, service.url))).text();
  const [, certificate = ''] = /use="encryption".*?<ds:X509Certificate>([^<]+)</.exec(metadata) ?? [];
  const recipient = new X509Certificate(Buffer.from(certificate, 'base64')).publicKey;
  server.say(idpMetadata([nextKey]));
  const { requestId } = await leave(new Browser(service), place);
  const spoken = honest({ entityId, acs: place.acs, inResponseTo: requestId, now: startTime });
  const assertion = signed(assertionXml(spoken, '_hidden'), 'Assertion', nextKey);
  const content = encrypted('EncryptedAssertion', assertion, recipient, { content: 'aes-256-cbc' });
  expect((await post(service, place, encode(responseXml(spoken, content)))).status).toBe(303);
});

test('forgeries have it read once in five minutes, all together', async () => {
  const place = await byAddress();
  server.say(idpMetadata([idpKey]));
  const forge = (now: Date) => Promise.all(times(8).map(() => arrive(place, stranger, now)));
  expect([...(await forge(startTime)), asked()]).toEqual([...Array<number>(8).fill(403), 1]);
  for (const [seconds, times] of [
    [299, 1],
    [300, 2],
    // The clock was ahead.
    [-900, 3],
  ] as const) {
    const later = new Date(startTime.getTime() + seconds * 1000);
    service.setTime(later);
    await forge(later);
    expect([seconds, asked()]).toEqual([seconds, times]);
  }
});

test('a server of metadata that says nothing holds up only those who wait for it', async () => {
  const [place, other] = [await byAddress(), await makePlace(service)];
  let answer: () => void = () => {};
  server.answerBy((_request, reply) => {
    answer = () => reply.end(idpMetadata([idpKey, nextKey]));
  });
  const waiting = Promise.all(times(3).map(() => arrive(place, nextKey)));
  await expect.poll(asked).toBe(1);
  expect([await arrive(place), await arrive(other), await arrive(other, stranger)]).toEqual([303, 303, 403]);
  answer();
  expect([await waiting, asked()]).toEqual([[303, 303, 303], 1]);
});

test('metadata that cannot be read then leaves everything as it was, and is tried again by itself', async () => {
  const place = await byAddress();
  server.say('', 500);
  expect([await arrive(place, nextKey), await arrive(place, nextKey), asked()]).toEqual([403, 403, 1]);
  expect(await arrive(place)).toBe(303);
  const query = `query ($id: ID!) { node(id: $id) { ... on HttpsEdgeRoute { saml { metadataReading { nextAt failure } } } } }`;
  const { data } = await service.graphql(query, { id: place.routeId });
  expect(data.node.saml.metadataReading).toEqual({
    nextAt: '2026-11-20T21:05:00Z',
    failure: expect.stringContaining('answers with status 500'),
  });
});

test('a logout that is signed by a new key ends the session', async () => {
  const place = await byAddress();
  const amy = new Browser(service);
  await logIn(service, amy, place);
  server.say(idpMetadata([nextKey]));
  const slo = `${baseUrl}/saml/${place.routeId}/slo`;
  const request = signedQuery(logoutXml(honestLogout(slo, startTime)), nextKey);
  expect((await fetch(`${slo.replace(baseUrl, service.url)}?${request}`)).status).toBe(200);
  expect(await isLoggedIn(amy, place)).toBe(false);
});

test('40 routes with one registration: ten restored tabs end on their pages while it rolls, one login lets in at all, one logout ends it', async () => {
  const registration = await byAddress();
  const { routeId: login_route_id, acs } = registration;
  const add = async (edgeId: string, match: string, url: string) => {
    const route = { match_type: 'path_prefix', match };
    const { id: routeId } = (await service.rest('POST', `/edges/https/${edgeId}/routes`, route)).body;
    const path = `/edges/https/${edgeId}/routes/${routeId}/saml`;
    expect((await service.rest('PUT', path, { login_route_id })).status).toBe(200);
    return { place: { edgeId, routeId, acs }, url };
  };
  const routes = [{ place: registration, url: `https://${host}/app` }];
  for (const number of times(19)) {
    routes.push(await add(registration.edgeId, `/part${number}/`, `https://${host}/part${number}/page`));
    const name = `host${number}.example.com`;
    const { id } = (await service.rest('POST', '/edges/https', { hostports: [`${name}:443`] })).body;
    routes.push(await add(id, '/', `https://${name}/page`));
  }
  routes.push(await add(registration.edgeId, '/last', `https://${host}/last`));
  const browser = new Browser(service);
  const tabs = await Promise.all(
    routes.slice(5, 15).map(async ({ place, url }) => ({ place, url, ...(await leave(browser, place, url)) })),
  );
  server.say(idpMetadata([nextKey]));
  for (const { place, url, requestId } of tabs) {
    const response = respond(registration, requestId, {}, startTime, nextKey);
    const brought = await post(service, registration, response, undefined, browser);
    expect(locationOf(await browser.open(place, locationOf(brought)))).toBe(url);
  }
  expect(asked()).toBe(1);
  const statuses = () =>
    Promise.all(routes.map(async ({ place, url }) => (await browser.open(place, url, '*/*')).status));
  for (const { place, url } of routes) {
    const sent = await browser.open(place, url);
    if (sent.status === 200) continue;
    // Where the browser has not been yet, our own page lets it in without the identity provider.
    const led = await browser.open(place, locationOf(await browser.visit(locationOf(sent))));
    expect(locationOf(led)).toBe(url);
  }
  expect([routes.length, new Set(await statuses())]).toEqual([40, new Set([200])]);
  await browser.open(registration, `https://${host}/.sallyport/logout`);
  expect(new Set(await statuses())).toEqual(new Set([401]));
});
