// Work of the login pages that waits in queues, because anybody can request it.

import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLogins } from '../../src/areas/https-edges/login-store.ts';
import type { LoginModule } from '../../src/domain/gate/login.ts';
import { createSamlPages, type SamlPages } from '../../src/gate/saml-pages.ts';
import type { Reply } from '../../src/http/request.ts';
import { makePlace } from '../support/login.ts';
import { baseUrl, startService, startTime, type TestService } from '../support/service.ts';

let service: TestService;
let pages: SamlPages;
let module: LoginModule;
beforeAll(async () => {
  service = await startService();
  const logins = createLogins(service.storage, () => startTime);
  pages = createSamlPages({ logins, baseUrl, trustProxy: 0, failed: () => {} });
  const found = await logins.findModule((await makePlace(service)).routeId);
  if (found === null) throw new Error('The module that was just made is gone.');
  module = found;
});
afterAll(async () => {
  expect(service.failures).toEqual([]);
  await service.close();
});

// The queues use a reply only to learn when it is gone.
const reply = () => new ServerResponse(new IncomingMessage(new Socket())) as unknown as Reply;
const message = { parameter: 'SAMLRequest', id: '_1', xml: '<a ID="_1"/>' } as const;
const endpoint = { binding: 'redirect', location: 'https://idp.example.com/sso' } as const;
const send = () => pages.sendInTurn(module, reply(), message, endpoint, null);

test('a message is signed while the check of another one takes its time', async () => {
  let finish = () => {};
  const checked = pages.checkInTurn(module, reply(), () => new Promise<void>((resolve) => (finish = resolve)));
  expect(await send()).toEqual({ binding: 'redirect', location: expect.stringMatching(/&Signature=/) });
  finish();
  await checked;
});

test('signatures wait in turn, and no more of them than an account may have', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 210 }, send));
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : []));
  expect(new Set(refused)).toEqual(new Set(['UNAVAILABLE']));
});
