// The audits of the GraphQL-over-HTTP specification, run by its reference implementation.

import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const fetchWithKey: typeof fetch = (url, init) => {
  const headers = new Headers(init?.headers);
  headers.set('Authorization', `Bearer ${service.token}`);
  return fetch(url, { ...init, headers });
};

const audits = serverAudits({ url: () => `${service.url}/graphql`, fetchFn: fetchWithKey });

test('all audits are there', () => {
  expect(audits.length).toBe(61);
});

test.each(audits.map((audit) => [audit.id, audit.name, audit] as const))('%s: %s', async (_id, _name, audit) => {
  const result = await audit.fn();
  expect(result.status === 'ok' ? 'ok' : `${result.status}: ${result.reason}`).toBe('ok');
});

test('none of this is answered without a key', async () => {
  const response = await fetch(`${service.url}/graphql?query=%7B__typename%7D`);
  expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
});
