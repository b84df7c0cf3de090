// What the trail records of user sessions: who began and ended them, from where, and nothing secret.

import { expect, onTestFinished, test } from 'vitest';
import {
  honestLogout,
  idpEntityId,
  idpMetadata,
  logoutXml,
  signedQuery,
  withLogout,
} from '../support/identity-provider.ts';
import { Browser, host, idpKey, logIn, makePlace } from '../support/login.ts';
import { baseUrl, ofOneServer, startService, startTime } from '../support/service.ts';

test('a session has an event when it begins and one when it ends, whoever ends it', async () => {
  const service = ofOneServer(await startService());
  onTestFinished(() => service.close());
  const place = await makePlace(service, { idp_metadata: withLogout(idpMetadata([idpKey])) });
  const enter = async () => {
    const browser = new Browser(service);
    expect((await logIn(service, browser, place)).status).toBe(302);
    return browser;
  };
  const eventsOf = async (filter: string) => {
    const fields = 'action actor { type description } surface requestId clientAddress version state';
    const query = `{ auditEvents(kind: "LoginSession", first: 100, ${filter}) { nodes { ${fields} } } }`;
    return (await service.graphql(query)).data.auditEvents.nodes;
  };
  const user = { actor: { type: 'user', description: 'amy' }, surface: 'login', clientAddress: '203.0.113.7' };

  const browser = await enter();
  const [begun, ...others] = await eventsOf('action: create');
  expect([begun, others]).toEqual([{ ...user, action: 'create', requestId: null, version: 1, state: begun.state }, []]);
  // The stored fields, without the token and the values derived from the name.
  expect(begun.state).toEqual({
    routeId: place.routeId,
    host: `${host}:443`,
    issuer: idpEntityId,
    sessionIndex: '_session',
    person: expect.stringContaining('"user":"amy"'),
    clientAddress: '203.0.113.7',
    createdAt: begun.state.createdAt,
    endsAt: begun.state.endsAt,
    lastUsedAt: begun.state.lastUsedAt,
  });
  expect(JSON.stringify(begun)).not.toContain(browser.cookies.get(`__Host-sallyport.${place.routeId}`));

  await browser.open(place, `https://${host}/.sallyport/logout`);
  const ended = { action: 'delete', version: 2, state: expect.objectContaining({ routeId: place.routeId }) };
  expect(await eventsOf('actor: "user", action: delete')).toEqual([{ ...user, ...ended, requestId: null }]);

  await enter();
  const slo = `${baseUrl}/saml/${place.routeId}/slo`;
  const query = signedQuery(logoutXml(honestLogout(slo, startTime)), idpKey);
  const answer = await fetch(`${slo.replace(baseUrl, service.url)}?${query}`, { redirect: 'manual' });
  expect(await eventsOf('actor: "identity_provider"')).toEqual([
    {
      ...ended,
      actor: { type: 'identity_provider', description: idpEntityId },
      surface: 'login',
      requestId: answer.headers.get('x-request-id'),
      clientAddress: '127.0.0.1',
    },
  ]);
  expect(await eventsOf('')).toHaveLength(4);
  expect(service.failures).toEqual([]);
});

test('a ticket that is not good for a session, and a logout without one, leave no event', async () => {
  const service = ofOneServer(await startService());
  onTestFinished(() => service.close());
  const place = await makePlace(service);
  const browser = new Browser(service);
  const ticket = `https://${host}/.sallyport/session?ticket=${'a'.repeat(43)}`;
  expect((await browser.open(place, ticket)).status).toBe(403);
  await browser.open(place, `https://${host}/.sallyport/logout`);
  const { data } = await service.graphql('{ auditEvents(kind: "LoginSession") { totalCount } }');
  expect(data.auditEvents.totalCount).toBe(0);
});
