// Errors during a login: what a person sees, and what a program gets.

import { expect, test } from 'vitest';
import { executeNow } from '../support/database.ts';
import { makePlace } from '../support/login.ts';
import { ofOneServer, startService } from '../support/service.ts';

test('an error in a login is a page in a browser, and JSON for programs', async () => {
  const service = ofOneServer(await startService());
  const place = await makePlace(service);
  const answerOf = async (path: string, Accept: string, method = 'GET') => {
    const answer = await fetch(service.url + path, { method, headers: { Accept } });
    const text = await answer.text();
    const isPage = text.startsWith('<!doctype html>') && text.includes('<h1>Access denied</h1>');
    const policy = answer.headers.get('content-security-policy') ?? '';
    const link = /<a href="([^"]+)">([^<]+)</.exec(text)?.slice(1) ?? null;
    return { status: answer.status, shown: isPage ? /<p>(.*)<\/p>/.exec(text)?.[1] : null, link, policy, text };
  };
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  const gone = '/saml/edghtsrt_01h455vb4pex5vsknk084sn02q/login';

  const none = {
    status: 404,
    shown: 'There is no login here.',
    link: null,
    policy: expect.stringMatching(/^default-src 'none'/),
  };
  expect(await answerOf(gone, browser)).toMatchObject(none);
  expect(await answerOf(`${gone.slice(0, -5)}acs`, browser, 'POST')).toMatchObject(none);
  for (const accept of ['*/*', 'application/json']) {
    const { status, text } = await answerOf(gone, accept);
    expect([status, JSON.parse(text).error_code]).toEqual([404, 'NOT_FOUND']);
  }
  // An unknown path is not a page, so its answer is JSON even in a browser.
  expect(JSON.parse((await answerOf('/saml/x/y', browser)).text).error_code).toBe('UNKNOWN_ROUTE');

  // Each page of a route leads on: to where a login begins, or to itself if that will help.
  const [own, begin] = [`/saml/${place.routeId}`, [`/saml/${place.routeId}/login`, 'Log in again']];
  expect(await answerOf(`${own}/acs`, browser)).toMatchObject({ status: 405, link: begin });
  executeNow(service.database, 'ALTER TABLE "SamlModule" RENAME TO "Gone"');
  const failed = await answerOf(`${own}/login?state=x&y`, browser);
  expect([failed.status >= 500, failed.shown, failed.link]).toEqual([
    true,
    'Your access cannot be checked at the moment. Try again in a few minutes.',
    [`${own}/login?state=x&#38;y`, 'Try again'],
  ]);
  expect(failed.text).not.toMatch(/SamlModule|SQL|Gone/);
  const form = { method: 'POST', headers: { Accept: browser }, body: new URLSearchParams({ SAMLResponse: 'x' }) };
  const sent = await fetch(`${service.url}${own}/acs`, form);
  expect([sent.status >= 500, await sent.text()]).toEqual([true, expect.stringContaining(`<a href="${begin[0]}">`)]);
  expect(service.failures).toHaveLength(2);
  await service.close();
});
