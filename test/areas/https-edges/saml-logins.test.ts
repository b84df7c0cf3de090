// Logins that wait for their browsers, and the sessions that they become: who spends one, and who ends it.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLogins } from '../../../src/areas/https-edges/login-store.ts';
import { createSessions } from '../../../src/areas/https-edges/session-store.ts';
import type { AnsweredLogin, LoginModule, Logins } from '../../../src/domain/gate/login.ts';
import type { Sessions } from '../../../src/domain/gate/session.ts';
import { createNewId } from '../../../src/domain/ids.ts';
import { execute } from '../../support/database.ts';
import { idpEntityId, persistent } from '../../support/identity-provider.ts';
import { host, makePlace } from '../../support/login.ts';
import { repeatableBytes, startService, startTime, type TestService } from '../../support/service.ts';

let service: TestService;
let logins: Logins;
let sessions: Sessions;
let module: LoginModule;
const now = () => startTime;
beforeAll(async () => {
  service = await startService();
  logins = createLogins(service.storage, now);
  const newId = createNewId(() => startTime.getTime(), repeatableBytes('sessions'));
  const reportFailure = (error: unknown) => service.failures.push(error);
  sessions = createSessions(service.storage, {
    now,
    newId: () => newId('SamlSession'),
    secondsMax: 600,
    reportFailure,
  });
  const found = await logins.findModule((await makePlace(service)).routeId);
  if (found === null) throw new Error('The module that was just made is gone.');
  module = found;
});
afterAll(async () => {
  expect(service.failures).toEqual([]);
  await service.close();
});

let count = 0;
const hash = () => String(++count).padStart(64, '0');
const named = {
  nameId: 'amy',
  nameidFormat: persistent,
  nameQualifier: null,
  spNameQualifier: null,
  sessionIndex: '_1',
};
const amy = {
  user: 'amy',
  email: null,
  name: null,
  groups: ['staff'],
  issuer: idpEntityId,
  sessionEndsAt: null,
  named,
};
async function wait(): Promise<AnsweredLogin> {
  const ticketHash = hash();
  await logins.answer(module, { host: `${host}:443`, browserHash: null, target: '/app' }, ticketHash, amy);
  const login = await logins.findAnswered(ticketHash);
  if (login === null) throw new Error('The login that was just answered is gone.');
  return login;
}
const create = (login: AnsweredLogin) => sessions.create(hash(), login, '203.0.113.7');
const left = () =>
  execute(service.database, 'SELECT "ticketHash" FROM "SamlLogin" UNION ALL SELECT "tokenHash" FROM "SamlSession"');

test('what travels with a browser is not sealed under the key that private keys are sealed with', () => {
  const sealed = logins.seal(module, 'login', 'text');
  expect(logins.open(module, 'login', sealed)?.text).toBe('text');
  const { secrets } = service.storage.forAccount(module.accountId);
  const openDirectly = () => secrets.open(Buffer.from(sealed, 'base64url'), `login ${module.routeId}`);
  expect(openDirectly).toThrow('sealed under another secret key');
});

test('a login becomes one session, however many spend it at the same time', async () => {
  const login = await wait();
  const ids = await Promise.all(Array.from({ length: 5 }, () => create(login)));
  expect(ids.filter((id) => id !== null)).toEqual([expect.stringMatching(/^sess_/)]);
  expect(await create(login)).toBeNull();
  expect(await logins.findAnswered(login.ticketHash)).toBeNull();
  expect(await sessions.endOfUser(module, 'amy', [])).toBe(1);
});

test('a logout ends a login that becomes a session meanwhile, whichever comes first', async () => {
  for (let round = 0; round < 20; round += 1) {
    const login = await wait();
    const end = () => sessions.endOfUser(module, 'amy', ['_1']);
    await Promise.all(round % 2 === 0 ? [create(login), end()] : [end(), create(login)]);
    expect(await left()).toEqual([]);
  }
});
