// `/.sallyport/login`: the one address at which proxies that know only one begin a login.

import { beforeAll, expect, test } from 'vitest';
import { Browser, host, logIn, makePlace, type Place } from '../support/login.ts';
import { baseUrl, ofOneServer, startService, type TestService } from '../support/service.ts';
import { makeRoute } from './support.ts';

const other = 'other.example.com';
let service: TestService;
let place: Place;
beforeAll(async () => {
  service = ofOneServer(await startService());
  place = await makePlace(service);
  await service.rest('PATCH', `/edges/https/${place.edgeId}`, { hostports: [`${host}:443`, `${other}:443`] });
  await makeRoute(service, place.edgeId, '/open');
});

const begin = async (query: string, browser = new Browser(service)) => {
  const { status, headers } = await browser.open(place, `https://${host}/.sallyport/login${query}`);
  return { status, location: headers.get('location') };
};
const atProvider = { status: 302, location: expect.stringMatching(new RegExp(`^${baseUrl}/saml/\\w+/login\\?state=`)) };

test.each([
  [''],
  ['?rd=/app/reports'],
  [`?rd=${encodeURIComponent(`https://${host}/app?a=b&c=d`)}`],
  [`?rd=https://${host}:443/app`],
])('%s begins a login', async (query) => {
  expect(await begin(query)).toEqual(atProvider);
});

test('the login leads to the page, and whoever has a session goes there at once', async () => {
  const browser = new Browser(service);
  await begin('?rd=/app/reports', browser);
  const began = [...browser.cookies.values()].join();
  expect(began).toContain(Buffer.from('/app/reports').toString('base64url'));
  await logIn(service, browser, place);
  expect(await begin('?rd=/app/reports', browser)).toEqual({ status: 302, location: `https://${host}/app/reports` });
});

test('a page that asks for no login needs none, and one at another host of the edge begins there', async () => {
  expect(await begin('?rd=/open?a=1')).toEqual({ status: 302, location: `https://${host}/open?a=1` });
  const elsewhere = `https://${other}/.sallyport/login?rd=${encodeURIComponent('/app?a=1')}`;
  expect(await begin(`?rd=https://${other}/app?a=1`)).toEqual({ status: 302, location: elsewhere });
});

test.each([
  ['https://evil.example/app'],
  [`https://${host}.evil.example/app`],
  [`https://${host}@evil.example/app`],
  [`https://${host}:8443/app`],
  [`http://${host}/app`],
  ['//evil.example/app'],
  ['/\\\\evil.example/app'],
  [`https:/${host}/app`],
  ['javascript:alert(1)'],
  ['/app\r\nSet-Cookie: a=b'],
  ['/.sallyport/logout'],
  ['app'],
  [''],
])('leads nobody to %j', async (rd) => {
  expect(await begin(`?rd=${encodeURIComponent(rd)}`)).toEqual({ status: 403, location: null });
});

test('leads nobody to one of two pages, to a path without a route, or to one with two meanings', async () => {
  for (const query of ['?rd=/app&rd=/open', '?rd=/nowhere', '?rd=/app/../open']) {
    expect([query, await begin(query)]).toEqual([query, { status: 403, location: null }]);
  }
});

test('a script is not led to a login', async () => {
  const answer = await new Browser(service).open(place, `https://${host}/.sallyport/login?rd=/app`, '*/*');
  expect([answer.status, answer.headers.getSetCookie()]).toEqual([401, []]);
});
