// Identity providers replace their certificates while people log in and are logged in: metadata at an address is read early.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parseRange } from '../../src/domain/ip/cidr.ts';
import { createOutgoing } from '../../src/outgoing/outgoing.ts';
import { honestLogout, idpMetadata, logoutXml, makeIdpKey, signedQuery } from '../support/identity-provider.ts';
import { Browser, host, idpKey, leave, logIn, makePlace, type Place, post, respond } from '../support/login.ts';
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

test('forgeries have it read once in five minutes, all together', async () => {
  const place = await byAddress();
  server.say(idpMetadata([idpKey]));
  const forge = (now: Date) => Promise.all(times(8).map(() => arrive(place, stranger, now)));
  expect([...(await forge(startTime)), asked()]).toEqual([...Array<number>(8).fill(403), 1]);
  for (const [seconds, times] of [
    [299, 1],
    [300, 2],
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
