// Several servers on one database: what one of them keeps in order, all of them together do.

import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { honestLogout, logoutXml, signedQuery } from '../support/identity-provider.ts';
import {
  Browser,
  configure,
  host,
  idpKey,
  leave,
  locationOf,
  logIn,
  makePlace,
  type Place,
  post,
  respond,
} from '../support/login.ts';
import { baseUrl, startBeside, startTime, type TestService } from '../support/service.ts';
import { times } from '../support/times.ts';
import { twoServers } from '../support/two-servers.ts';

const servers = twoServers();
const { turn, create } = servers;

/** Creates an edge with a route, and returns the path of the route. */
async function createRoute(service = servers.one): Promise<string> {
  const routes = `/edges/https/${await create('/edges/https', {}, service)}/routes`;
  return `${routes}/${await create(routes, { match_type: 'path_prefix', match: '/' }, service)}`;
}

/** Counts answers by their status. */
function tally(answers: readonly { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const metadata = `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example"/>`;

describe('bounds and unique values', () => {
  test('the same range 20 times at once is one rule', async () => {
    const policy = await create('/ip_policies', {});
    const rule = { ip_policy_id: policy, cidr: '192.0.2.0/24', action: 'allow' };
    const answers = await Promise.all(times(20).map((index) => turn(index).rest('POST', '/ip_policy_rules', rule)));
    expect(tally(answers)).toEqual({ 201: 1, 400: 19 });
  });
});

describe('changes of one object', () => {
  test('20 workers that compare and set lose none of 100 changes', async () => {
    const path = `/ip_policies/${await create('/ip_policies', { description: '0' })}`;
    let refused = 0;
    const work = async (worker: number) => {
      const service = turn(worker);
      for (let done = 0; done < 5; ) {
        const { body, headers } = await service.rest('GET', path);
        const change = { description: String(Number(body.description) + 1) };
        const { status } = await service.rest('PATCH', path, change, { 'If-Match': headers.get('etag') ?? '' });
        if (status === 200) done += 1;
        else if (status === 412) refused += 1;
        else throw new Error(`answered ${status}`);
      }
    };
    await Promise.all(times(20).map(work));
    const { body, headers } = await servers.one.rest('GET', path);
    expect([body.description, headers.get('etag')]).toEqual(['100', '"101"']);
    expect(refused).toBeGreaterThan(0);
  });

  test('40 first settings of one SAML module leave one key, which every answer shows', async () => {
    const path = `${await createRoute()}/saml`;
    const put = (index: number) => turn(index).rest('PUT', path, { idp_metadata: metadata });
    const answers = await Promise.all(times(40).map(put));
    expect(tally(answers)).toEqual({ 200: 40 });
    const { body } = await servers.other.rest('GET', path);
    expect(new Set(answers.map((answer) => answer.body.request_signing_certificate_pem))).toEqual(
      new Set([body.request_signing_certificate_pem]),
    );
  });
});

describe('parts and wholes', () => {
  test('changes of routes while their edges are deleted end in 200 or 404, and none waits for a deadlock', async () => {
    const answers: { status: number }[] = [];
    for (const round of times(40)) {
      const edge = await create('/edges/https', {}, turn(round));
      const at = `/edges/https/${edge}/routes`;
      const route = await create(at, { match_type: 'path_prefix', match: '/' }, turn(round));
      const changes = times(6).map((index) => turn(index).rest('PATCH', `${at}/${route}`, { match: `/${index}` }));
      const removal = turn(round + 1).rest('DELETE', round % 2 === 0 ? `/edges/https/${edge}` : `${at}/${route}`);
      answers.push(...(await Promise.all([...changes, removal])));
    }
    expect(Object.keys(tally(answers)).filter((status) => !['200', '204', '404'].includes(status))).toEqual([]);
    expect(await deadlocks()).toBe(0);
  });

  test('rules that are changed and deleted while their policies are end in 200, 204 or 404', async () => {
    const answers: { status: number }[] = [];
    for (const round of times(40)) {
      const policy = await create('/ip_policies', {}, turn(round));
      const rules = await Promise.all(
        times(4).map((index) =>
          create(
            '/ip_policy_rules',
            { ip_policy_id: policy, cidr: `192.0.2.${index}/32`, action: 'allow' },
            turn(index),
          ),
        ),
      );
      const work = rules.map((rule, index) =>
        index % 2 === 0
          ? turn(index).rest('PATCH', `/ip_policy_rules/${rule}`, { action: 'deny' })
          : turn(index).rest('DELETE', `/ip_policy_rules/${rule}`),
      );
      answers.push(...(await Promise.all([...work, turn(round).rest('DELETE', `/ip_policies/${policy}`)])));
    }
    expect(Object.keys(tally(answers)).filter((status) => !['200', '204', '404'].includes(status))).toEqual([]);
    expect(await deadlocks()).toBe(0);
  });

  test('certificates that two servers delete while one deletes their authority end in 204, 404, or 409 while it has some', async () => {
    const answers: { status: number }[] = [];
    const public_key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f';
    for (const round of times(15)) {
      const authority = await create('/ssh_certificate_authorities', {}, turn(round));
      const certificate = { ssh_certificate_authority_id: authority, public_key };
      const ids = await Promise.all(
        times(6).map((index) => create('/ssh_host_certificates', certificate, turn(index))),
      );
      const removals = ids.flatMap((id) =>
        [servers.one, servers.other].map((service) => service.rest('DELETE', `/ssh_host_certificates/${id}`)),
      );
      answers.push(
        ...(await Promise.all([...removals, turn(round).rest('DELETE', `/ssh_certificate_authorities/${authority}`)])),
      );
    }
    expect(Object.keys(tally(answers)).filter((status) => !['204', '404', '409'].includes(status))).toEqual([]);
    expect(await deadlocks()).toBe(0);
  });

  test('parts that are made and read with their wholes while these are deleted are whole or not there', async () => {
    const made: { status: number }[] = [];
    const read: { data: unknown; errors: unknown }[] = [];
    let going = true;
    const document = '{ ipPolicyRules(first: 20) { nodes { id ipPolicy { id description } } } }';
    const reading = [servers.one, servers.other].map(async (service) => {
      while (going) read.push(await service.graphql(document));
    });
    for (const round of times(40)) {
      const policy = await create('/ip_policies', {}, turn(round));
      const add = `mutation { createIpPolicyRule(input: { ipPolicyId: "${policy}", cidr: "10.0.0.0/8", action: ALLOW }) {
        ipPolicyRule { id ipPolicy { id rules { nodes { id } } } } } }`;
      const [, rule] = await Promise.all([
        pause(Math.random() * 10).then(() => turn(round).rest('DELETE', `/ip_policies/${policy}`)),
        turn(round + 1).graphql(add),
        turn(round)
          .rest('POST', '/ip_policy_rules', { ip_policy_id: policy, cidr: '11.0.0.0/8', action: 'deny' })
          .then((answer) => made.push(answer)),
      ]);
      made.push(rule);
      expect(
        (rule.errors ?? []).map(({ extensions }) => extensions.code).filter((code) => code === 'INTERNAL'),
      ).toEqual([]);
    }
    going = false;
    await Promise.all(reading);
    expect(Object.keys(tally(made)).filter((status) => Number(status) >= 500)).toEqual([]);
    expect(read.filter(({ errors }) => errors !== undefined)).toEqual([]);
    expect(read.length).toBeGreaterThan(20);
  });
});

describe('changes that get in the way of each other', () => {
  test('are sent again where the database undoes them: of three at once on one object all count', async () => {
    // At this isolation level, PostgreSQL aborts one of two overlapping changes of the same row.
    const url = new URL(servers.one.database.url);
    url.searchParams.set('options', '-c default_transaction_isolation=serializable');
    const strict = await startBeside(servers.one, url.href);
    const path = `/ip_policies/${await create('/ip_policies', {})}`;
    for (const round of times(5)) {
      const change = (index: number) => strict.rest('PATCH', path, { description: `${round} ${index}` });
      expect(tally(await Promise.all(times(3).map(change)))).toEqual({ 200: 3 });
    }
    expect((await servers.one.rest('GET', path)).headers.get('etag')).toBe('"16"');
    expect(strict.failures).toEqual([]);
    await strict.close();
  });
});

describe('what one server has changed', () => {
  test('counts at once on the other, and a revoked key within a second', async () => {
    const made = await servers.one.rest('POST', '/api_keys', {});
    const key = made.body;
    const asKey = (service: TestService) =>
      service.rest('GET', '/ip_policies', undefined, { Authorization: `Bearer ${key.token}` });
    expect((await asKey(servers.other)).status).toBe(200);
    expect((await servers.one.rest('DELETE', `/api_keys/${key.id}`)).status).toBe(204);
    expect((await asKey(servers.one)).status).toBe(401);
    await pause(1_000);
    expect((await asKey(servers.other)).status).toBe(401);
  });
});

/** Returns the number of deadlocks in this database so far, as PostgreSQL counts them. */
async function deadlocks(): Promise<number> {
  await pause(1_100); // sessions report their counts once a second
  const sql = 'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()';
  const rows = await servers.one.database.engine.reading(
    async (database) => (await database.queryRaw({ sql, args: [], argTypes: [] })).rows,
  );
  return Number(rows[0]?.[0]);
}

describe('logins', () => {
  const page = `https://${host}/app`;
  const ask = async (browser: Browser, place: Place) => (await browser.open(place, page, '*/*')).status;

  test('begin on one server, are answered on another, and last on both, until either ends them', async () => {
    const place = await makePlace(servers.one);
    const [here, there] = [new Browser(servers.one), new Browser(servers.other)];
    const share = (from: Browser, to: Browser) => {
      for (const [name, value] of from.cookies) to.cookies.set(name, value);
    };
    const { requestId } = await leave(here, place);
    const brought = await post(servers.other, place, respond(place, requestId));
    share(here, there);
    expect((await there.open(place, locationOf(brought))).status).toBe(302);
    share(there, here);
    expect([await ask(here, place), await ask(there, place)]).toEqual([200, 200]);
    const path = `/edges/https/${place.edgeId}/routes/${place.routeId}/saml`;
    expect((await servers.other.rest('DELETE', path)).status).toBe(204);
    await configure(servers.other, place, {});
    expect(await ask(there, place)).toBe(401);
    await expect.poll(() => ask(here, place), { timeout: 3_000 }).toBe(401);
  });

  test('are made with an assertion once, wherever it is brought', async () => {
    const place = await makePlace(servers.one);
    const response = respond(place, null);
    const answers = await Promise.all(times(6).map((index) => post(turn(index), place, response)));
    expect(tally(answers)).toEqual({ 303: 1, 403: 5 });
  });

  test('are refused where the identity provider has told another server since that the user is logged out', async () => {
    const place = await makePlace(servers.one);
    const waiting = new Browser(servers.other);
    const ticket = locationOf(await post(servers.other, place, respond(place, null)));
    const slo = place.acs.replace(/acs$/, 'slo');
    const request = signedQuery(logoutXml(honestLogout(slo, new Date(startTime.getTime() + 1000))), idpKey);
    expect((await fetch(`${slo.replace(baseUrl, servers.one.url)}?${request}`)).status).toBe(200);
    expect((await waiting.open(place, ticket)).status).toBe(403);
    expect((await post(servers.other, place, respond(place, null))).status).toBe(403);
    const later = new Date(startTime.getTime() + 2000);
    expect((await post(servers.other, place, respond(place, null, {}, later))).status).toBe(303);
  });

  test('are not put off by the use of a session that another server has not heard of', async () => {
    const place = await makePlace(servers.one, { inactivity_timeout: 40 });
    const [here, there] = [new Browser(servers.one), new Browser(servers.other)];
    await logIn(servers.one, here, place);
    const at = (seconds: number) => {
      for (const service of [servers.one, servers.other])
        service.setTime(new Date(startTime.getTime() + seconds * 1000));
    };
    at(30);
    expect(await ask(here, place)).toBe(200);
    for (const [name, value] of here.cookies) there.cookies.set(name, value);
    // The use is stored in the background, without anyone waiting for it.
    await pause(500);
    at(69);
    expect(await ask(there, place)).toBe(200);
    at(0);
  });
});
