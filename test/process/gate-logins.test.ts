// Logins behind real reverse proxies with HTTPS and the configurations of `deploy`: what reaches the browser, and what the
// application learns about the user.

import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { attribute } from '../support/identity-provider.ts';
import { configure, host, makePlace, post, readRequest, respond } from '../support/login.ts';
import { baseUrl, ofOneServer, startService, startTime } from '../support/service.ts';
import { type ProxyKind, proxyKinds, startApplication, untilListening } from './gate-support.ts';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** Starts a proxy with HTTPS in front of an application with one route, `/app`, that requires a login. */
async function startBehind(kind: ProxyKind) {
  const service = ofOneServer(await startService());
  onTestFinished(() => service.close());
  const place = await makePlace(service);
  const application = await startApplication();
  const port = await freePort();
  const gatePort = Number(new URL(service.url).port);
  kind.start({ port, gatePort, appPort: application.port, edge: place.edgeId, tls: true });
  await untilListening(port);

  const get = (url: string, headers: Record<string, string>, method = 'GET'): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { pathname, search } = new URL(url);
      const connection = { host: '127.0.0.1', port, servername: host, rejectUnauthorized: false, agent: false };
      request(
        { ...connection, method, path: pathname + search, headers: { Host: host, ...headers } },
        async (answer) => {
          await text(answer);
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers });
        },
      )
        .once('error', reject)
        .end();
    });
  return { service, place, application, get };
}

const page = { Accept: 'text/html' };
/** Returns the cookie that an answer sets, as a browser sends it. There must be exactly one. */
function cookieOf({ headers }: Answer): string {
  expect(headers['set-cookie']).toHaveLength(1);
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

// Entra ID sends at most 150 groups, as object ids. The names contain characters that break headers, and lists in headers.
const objectIds = Array.from({ length: 150 }, (_, n) => `0d4f8f0e-2b5c-4c8e-9a57-${String(n).padStart(12, '0')}`);
const person = `<saml:AttributeStatement>${attribute('groups', 'Büro', 'a,b', ...objectIds)}${attribute(
  'displayName',
  'Jö 東京',
)}</saml:AttributeStatement>`;
const told = {
  'remote-user': 'amy',
  'remote-groups': ['B%C3%BCro', 'a%2Cb', ...objectIds].join(','),
  'remote-name': 'J%C3%B6 %E6%9D%B1%E4%BA%AC',
};
/** Returns the headers that identify the user. Empty ones identify nobody. */
const identityIn = (headers: IncomingHttpHeaders = {}) =>
  Object.fromEntries(Object.entries(headers).filter(([name, value]) => /^remote/i.test(name) && value !== ''));
/** Identities that a client claims, in spellings that applications treat as those headers. */
const claims = Object.fromEntries(
  ['Remote-User', 'Remote-Groups', 'Remote-Email', 'Remote-Name', 'Remote_User', 'REMOTE_EMAIL', 'Remote.Groups'].map(
    (name) => [name, 'root'],
  ),
);

describe.each(proxyKinds.filter(({ isInstalled }) => isInstalled))('behind $name', (kind) => {
  test('a login leads back to the page, and only the identity provider says who it is', async () => {
    const { service, place, application, get } = await startBehind(kind);
    const app = `https://${host}/app`;
    const { edgeId } = place;
    await service.rest('PATCH', `/edges/https/${edgeId}`, { signs_identity: true });

    // A URL as long as proxies accept: neither the redirect nor its cookie may grow with it.
    const long = await get(`${app}?${'q'.repeat(7_000)}`, page);
    expect([long.status, long.headers.location]).toEqual([302, expect.stringMatching(/^.{1,400}$/)]);
    cookieOf(long);

    const sent = await get(`${app}/reports?page=2`, page);
    expect([sent.status, sent.headers['cache-control']]).toEqual([302, 'no-store']);
    const loginCookie = cookieOf(sent);
    const asked = await fetch((sent.headers.location ?? '').replace(baseUrl, service.url), { redirect: 'manual' });
    const { requestId } = readRequest(asked.headers.get('location') ?? '');
    const brought = await post(service, place, respond(place, requestId, { attributes: person }));
    const admitted = await get(brought.headers.get('location') ?? '', { ...page, Cookie: loginCookie });
    expect([admitted.status, admitted.headers.location]).toEqual([302, `${app}/reports?page=2`]);
    expect(application.arrived).toEqual([]);

    // As browsers send them: the session among other cookies.
    const Cookie = `theme=dark; ${loginCookie}; ${cookieOf(admitted)}`;
    expect((await get(`${app}/reports?page=2`, { ...page, ...claims, Cookie })).status).toBe(200);
    const arrived = application.arrived.at(-1);
    expect([arrived?.url, identityIn(arrived?.headers)]).toEqual(['/app/reports?page=2', told]);
    expect(JSON.stringify(arrived?.headers)).not.toMatch(/root|\{http/);
    // The application checks by itself who it was.
    const keys = createRemoteJWKSet(new URL(`${service.url}/gate/jwks.json`));
    const ours = { issuer: `${baseUrl}/gate/${edgeId}`, audience: host, algorithms: ['ES256'], currentDate: startTime };
    const signed = await jwtVerify(String(arrived?.headers['sallyport-identity']), keys, ours);
    expect(signed.payload).toMatchObject({ sub: 'amy', groups_left_out: true, name: 'Jö 東京' });

    // Programs, forms, strangers, and users who are in the wrong group.
    for (const [method, Accept] of [
      ['GET', '*/*'],
      ['GET', 'application/json'],
      ['POST', 'text/html'],
    ] as const) {
      const { status, headers } = await get(app, { Accept }, method);
      // nginx has its one page for persons under 403.
      const expected = kind.name === 'nginx' && method === 'POST' ? 403 : 401;
      expect([method, status, headers.location, headers['set-cookie']]).toEqual([
        method,
        expected,
        undefined,
        undefined,
      ]);
    }
    expect((await get(app, { ...page, ...claims })).status).toBe(302);
    await configure(service, place, { authorized_groups: ['staff'] });
    expect((await get(app, { ...page, Cookie })).status).toBe(403);
    await configure(service, place, { authorized_groups: ['a,b'] });
    expect((await get(app, { ...page, Cookie })).status).toBe(200);
    expect(application.arrived).toHaveLength(2);
    expect(service.failures).toEqual([]);
  });
});
