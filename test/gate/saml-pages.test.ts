// Work of the login pages that waits in queues, because anybody can request it.

import { randomBytes } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { createLogins } from '../../src/areas/https-edges/login-store.ts';
import type { LoginModule } from '../../src/domain/gate/login.ts';
import type { Reply } from '../../src/pipeline/request.ts';
import { createSamlPages, type RouteRequest, type SamlPages } from '../../src/surfaces/gate/saml-pages.ts';
import { makePlace } from '../support/login.ts';
import { baseUrl, startService, startTime, type TestService } from '../support/service.ts';

let service: TestService;
let pages: SamlPages;
let module: LoginModule;
beforeAll(async () => {
  service = await startService();
  const logins = createLogins(service.storage, () => startTime);
  const proxies = { trustProxy: 1, gateProxies: [] };
  const readMetadataEarly = async () => false;
  pages = createSamlPages({ logins, baseUrl, ...proxies, randomBytes, readMetadataEarly, failed: () => {} });
  const found = await logins.findModule((await makePlace(service)).routeId);
  if (found === null) throw new Error('The module that was just made is gone.');
  module = found;
});

/** Returns a reply to a browser at an address. */
function replyTo(address: string): Reply {
  const request = new IncomingMessage(new Socket());
  request.headers['x-forwarded-for'] = address;
  // The queues use a reply only to learn the sender's address, and when the reply is gone.
  return new ServerResponse(request) as unknown as Reply;
}
const message = { parameter: 'SAMLRequest', id: '_1', xml: '<a ID="_1"/>' } as const;
const endpoint = { binding: 'redirect', location: 'https://idp.example.com/sso' } as const;
const send = (address: string) => pages.sendInTurn(module, replyTo(address), message, endpoint, null);
const signed = { binding: 'redirect', location: expect.stringMatching(/&Signature=/) };
const [one, other] = ['203.0.113.1', '203.0.113.2'];

test('a message is signed while the check of another one takes its time', async () => {
  const held: { finish?: () => void } = {};
  const request = { params: { routeId: module.routeId } } as RouteRequest;
  const hold = () => new Promise<void>((resolve) => (held.finish = resolve));
  const reply = replyTo(one);
  reply.locals = { trace: {} } as Reply['locals'];
  const checked = pages.checkInTurn('login', module.accountId, request, reply, hold);
  expect(await send(one)).toEqual(signed);
  await expect.poll(() => held.finish).toBeTypeOf('function');
  held.finish?.();
  await checked;
});

test('signatures wait in turn, and no more of them than an account may have', async () => {
  /** Asks for signatures at once, and returns how many are made. All others must be refused. */
  const signedOf = async (addresses: readonly string[]) => {
    const outcomes = await Promise.allSettled(addresses.map(send));
    const made = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
    expect(made).toEqual(made.map(() => signed));
    expect(refused).toEqual(refused.map(() => 'UNAVAILABLE'));
    return made.length;
  };
  const alternately = Array.from({ length: 210 }, (_, index) => (index % 2 === 0 ? one : other));
  // One more than may wait, unless the queue still rests after the signature before.
  expect(await signedOf(Array<string>(210).fill(one))).toBeOneOf([150, 151]);
  expect(await signedOf(alternately)).toBeOneOf([200, 201]);
});
