// Logins that wait for their browsers, and the sessions they become: how a login is used up and how a session ends.

import { beforeAll, describe, expect, test } from 'vitest';
import { createLogins } from '../../../src/areas/https-edges/login-store.ts';
import { createSessions } from '../../../src/areas/https-edges/session-store.ts';
import { httpsEdgeUpkeep } from '../../../src/areas/https-edges/upkeep.ts';
import type { AnsweredLogin, LoginModule, Logins } from '../../../src/domain/gate/login.ts';
import type { Sessions } from '../../../src/domain/gate/session.ts';
import { assertionMsMax } from '../../../src/domain/saml/assertion.ts';
import { clockSkewMsMax } from '../../../src/domain/saml/times.ts';
import { hashOf } from '../../../src/domain/values/hash.ts';
import { execute } from '../../support/database.ts';
import { idpEntityId, persistent } from '../../support/identity-provider.ts';
import { host, makePlace } from '../../support/login.ts';
import { startService, startTime, type TestService } from '../../support/service.ts';

let service: TestService;
let logins: Logins;
let sessions: Sessions;
let module: LoginModule;
const now = () => startTime;
beforeAll(async () => {
  service = await startService();
  logins = createLogins(service.storage, now);
  const reportFailure = (error: unknown) => service.failures.push(error);
  sessions = createSessions(service.storage, {
    now,
    secondsMax: 600,
    reportFailure,
  });
  const found = await logins.findModule((await makePlace(service)).routeId);
  if (found === null) throw new Error('The module that was just made is gone.');
  module = found;
});

/** A time before the identity provider vouched for any login in this file. */
const earlier = new Date(startTime.getTime() - 1000);

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
  attributeNames: null,
  groups: ['staff'],
  issuer: idpEntityId,
  sessionEndsAt: null,
  named,
};
async function wait(sessionIndex: string | null = '_1', issuedAt = startTime): Promise<AnsweredLogin> {
  const ticketHash = hash();
  const vouched = { ...amy, named: { ...named, sessionIndex } };
  await logins.answer(
    module,
    { host: `${host}:443`, browserHash: null, device: null, target: '/app' },
    ticketHash,
    vouched,
    issuedAt,
  );
  const login = await logins.findAnswered(ticketHash);
  if (login === null) throw new Error('The login that was just answered is gone.');
  return login;
}
const create = (login: AnsweredLogin) => sessions.create(hash(), login, '203.0.113.7');
const endOfUser = (nameId: string, sessionIndexes: readonly string[], issuedAt = earlier) =>
  sessions.endOfUser(
    module,
    { nameId, sessionIndexes, issuedAt },
    { issuer: idpEntityId, requestId: 'op_1', clientAddress: '203.0.113.8' },
  );
const left = () =>
  execute(service.database, 'SELECT "ticketHash" FROM "SamlLogin" UNION ALL SELECT "tokenHash" FROM "LoginSession"');

test('what travels with a browser is not sealed under the key that private keys are sealed with', () => {
  const sealed = logins.seal(module, 'login', 'text');
  expect(logins.open(module, 'login', sealed)?.text).toBe('text');
  const { secrets } = service.storage.forAccount(module.accountId);
  const openDirectly = () => secrets.open(Buffer.from(sealed, 'base64url'), `login ${module.routeId}`);
  expect(openDirectly).toThrow('The secret key has been changed.');
});

test('a login becomes one session, however many spend it at the same time', async () => {
  const login = await wait();
  const ids = await Promise.all(Array.from({ length: 5 }, () => create(login)));
  expect(ids.filter((id) => id !== null)).toEqual([expect.stringMatching(/^sess_/)]);
  expect(await create(login)).toBeNull();
  expect(await logins.findAnswered(login.ticketHash)).toBeNull();
  expect(await endOfUser('amy', [])).toBe(1);
});

test('a logout ends a login that becomes a session meanwhile, whichever comes first', async () => {
  for (let round = 0; round < 20; round += 1) {
    const login = await wait();
    const end = () => endOfUser('amy', ['_1']);
    await Promise.all(round % 2 === 0 ? [create(login), end()] : [end(), create(login)]);
    expect(await left()).toEqual([]);
  }
});

test('as many targets are kept as a route may have, and those that are over make room without upkeep', async () => {
  const { routeId, accountId } = module;
  const fill = (from: number, to: number, expiresAt: string) =>
    execute(
      service.database,
      `INSERT INTO "SamlTarget" ("browserHash", "accountId", "routeId", "target", "expiresAt")
        WITH RECURSIVE n(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${to})
        SELECT 'b' || i, '${accountId}', '${routeId}', '/', '${expiresAt}' FROM n`,
    );
  const rows = async () => (await execute(service.database, 'SELECT "browserHash" FROM "SamlTarget"')).length;
  await fill(1, 100, '2026-11-20T20:59:00.000Z');
  await fill(101, 1_098, '2026-11-20T21:09:00.000Z');
  const kept = [];
  for (let attempt = 0; attempt < 4; attempt += 1) kept.push(await logins.keepTarget(module, hash(), '/a'));
  expect(kept).toEqual([true, true, false, false]);
  expect(await rows()).toBe(1_098 + 2 - 4);
  await execute(service.database, 'DELETE FROM "SamlTarget"');
});

describe('after a logout at the identity provider', () => {
  const seconds = (count: number) => new Date(startTime.getTime() + count * 1000);
  const isLoggedOut = (sessionIndex: string | null, issuedAt: Date) =>
    logins.isLoggedOut(module, { ...named, nameId: 'late', sessionIndex }, issuedAt);

  test('what it vouched for before makes no session, however late it arrives', async () => {
    await endOfUser('late', ['_1', '_2', '_1'], seconds(0));
    expect([
      await isLoggedOut('_1', seconds(-1)),
      await isLoggedOut('_2', seconds(-1)),
      // In the same second as the logout, the named session is over, but another one may already have begun.
      await isLoggedOut('_1', seconds(0)),
      await isLoggedOut('_1', seconds(1)),
      await isLoggedOut('_3', seconds(-1)),
      // Without an index, it could be the session that was named.
      await isLoggedOut(null, seconds(-1)),
      await isLoggedOut(null, seconds(0)),
      await logins.isLoggedOut(module, { ...named, nameId: 'LATE' }, seconds(-1)),
    ]).toEqual([true, true, true, false, false, true, false, false]);

    // Without indexes, all sessions of the user are over; of several such logouts the latest counts.
    await endOfUser('late', [], seconds(20));
    await endOfUser('late', [], seconds(10));
    expect([
      await isLoggedOut('_3', seconds(19)),
      await isLoggedOut('_3', seconds(20)),
      await isLoggedOut(null, seconds(19)),
      await isLoggedOut(null, seconds(20)),
    ]).toEqual([true, false, true, false]);
    const elsewhere = await logins.findModule((await makePlace(service)).routeId);
    if (elsewhere === null) throw new Error('The module that was just made is gone.');
    expect(await logins.isLoggedOut(elsewhere, { ...named, nameId: 'late' }, seconds(-1))).toBe(false);
  });

  test('a login that was missed because it arrived in between makes no session either', async () => {
    await endOfUser('amy', ['_between'], seconds(5));
    const login = await wait('_between', seconds(4));
    expect(await create(login)).toBeNull();
    expect(await create(await wait('_between', seconds(6)))).toMatch(/^sess_/);
    expect(await endOfUser('amy', ['_between'], seconds(7))).toBe(1);
  });

  test('it is remembered for as long as it could have vouched for somebody before, and ends with the module', async () => {
    const end = new Date(startTime.getTime() + assertionMsMax + clockSkewMsMax);
    const kept = () =>
      execute(service.database, `SELECT "userHash" FROM "SamlLogout" WHERE "userHash" = '${hashOf('kept')}'`);
    await endOfUser('kept', [], startTime);
    await httpsEdgeUpkeep.hourly?.(service.storage.server, new Date(end.getTime() - 1), new AbortController().signal);
    expect(await kept()).toHaveLength(1);
    await httpsEdgeUpkeep.hourly?.(service.storage.server, end, new AbortController().signal);
    expect(await kept()).toHaveLength(0);
    await endOfUser('kept', [], startTime);
    await service.rest('DELETE', `/edges/https/${module.edgeId}/routes/${module.routeId}/saml`);
    expect(await kept()).toHaveLength(0);
  });
});
