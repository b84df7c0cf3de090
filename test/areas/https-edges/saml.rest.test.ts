// The SAML module of a route on the REST surface, and its public metadata.

import { createPrivateKey, verify, X509Certificate } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { SAML } from '@node-saml/node-saml';
import { DOMParser } from '@xmldom/xmldom';
import { beforeAll, describe, expect, test } from 'vitest';
import { deleteLoginModule } from '../../../src/areas/https-edges/login-module-store.ts';
import { replaceSamlModule } from '../../../src/areas/https-edges/saml-store.ts';
import { commandLine } from '../../../src/storage/trail/origin.ts';
import { contentsOf } from '../../support/database.ts';
import { keyFromStock } from '../../support/keys.ts';
import { growth } from '../../support/processor.ts';
import { send } from '../../support/send.ts';
import { type Client, ofOneServer, type RestAnswer, startService, type TestService } from '../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  // Many of these tests are about requests that wait for keys.
  const makePrivateKey: typeof keyFromStock = async (kind) => {
    await setTimeout(50);
    return keyFromStock(kind);
  };
  service = await startService({}, { makePrivateKey });
});

let edgeId: string;
let routeId: string;
/** The path of the module that most tests use. Each PUT replaces the whole module, so the tests do not affect each other. */
let path: string;
beforeAll(async () => {
  edgeId = (await service.rest('POST', '/edges/https', {})).body.id;
  ({ routeId, path } = await newRoute('/shared'));
  await put({ idp_metadata: metadata });
});

async function newRoute(match: string) {
  const body = { match_type: 'path_prefix', match };
  const { id } = (await service.rest('POST', `/edges/https/${edgeId}/routes`, body)).body;
  return { routeId: id, path: `/edges/https/${edgeId}/routes/${id}/saml` };
}

const put = (body: unknown, headers?: Record<string, string>) => service.rest('PUT', path, body, headers);
const metadata = '\n<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp"/>\r\n';
const defaults = {
  enabled: true,
  options_passthrough: false,
  cookie_prefix: 'sallyport.',
  inactivity_timeout: 0,
  maximum_duration: 0,
  force_authn: false,
  allow_idp_initiated: true,
  authorized_groups: [],
  nameid_format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
};

describe('many PUTs at once', () => {
  /** Sends PUTs for a new route and returns each distinct status and certificate of the answers. */
  const putAtOnce = async (client: Client, count: number) => {
    const { body: edge } = await client.rest('POST', '/edges/https', {});
    const route = { match_type: 'exact_path', match: '/' };
    const { id } = (await client.rest('POST', `/edges/https/${edge.id}/routes`, route)).body;
    const path = `/edges/https/${edge.id}/routes/${id}/saml`;
    const answers = await Promise.all(
      Array.from({ length: count }, () => client.rest('PUT', path, { idp_metadata: metadata })),
    );
    const certificates = answers.map(({ body }) => body.request_signing_certificate_pem);
    const kept = (await client.rest('GET', path)).body.request_signing_certificate_pem;
    return {
      statuses: [...new Set(answers.map(({ status }) => status))],
      certificates: new Set(certificates).size,
      isKept: certificates[0] === kept,
    };
  };
  const allOfOneKey = { statuses: [200], certificates: 1, isKept: true };

  test('of two accounts on routes of their own all answer 200', async () => {
    const other = await service.otherAccount('other at once');
    expect(await Promise.all([putAtOnce(service, 40), putAtOnce(other, 40)])).toEqual([allOfOneKey, allOfOneKey]);
  });

  test('of one account that are more than may wait keep nobody else waiting or refused', async () => {
    const other = await service.otherAccount('other in a flood');
    const [flood, others] = await Promise.all([putAtOnce(service, 120), putAtOnce(other, 20)]);
    // How many of them wait at once depends on the machine.
    expect([200, 503]).toEqual(expect.arrayContaining(flood.statuses));
    expect(others).toEqual(allOfOneKey);
  });
});

function refused({ status, body }: RestAnswer) {
  return { status, code: body.error_code, field: body.details.field, msg: body.msg };
}

test('the keys are shown with their dates, and replaced step by step; another step is refused with the one to make', async () => {
  const { path } = await newRoute('/keys');
  const keys = `${path}/keys`;
  expect((await service.rest('GET', keys)).status).toBe(404);
  expect(refused(await service.rest('PUT', keys, { step: 'announce' }))).toEqual({
    status: 400,
    code: 'INVALID_INPUT',
    field: 'id',
    msg: 'id: names a route without a SAML module. Set one: it begins with new keys.',
  });
  const module = (await service.rest('PUT', path, { idp_metadata: metadata })).body;
  const end = '2031-11-19T21:00:00Z';
  const pem = expect.stringMatching(/^-----BEGIN CERTIFICATE-----\n/);
  const settled = {
    state: 'settled',
    next_step: 'announce',
    changed_at: null,
    signing_certificate_pem: module.request_signing_certificate_pem,
    signing_expires_at: end,
    encryption_certificate_pem: pem,
    encryption_expires_at: end,
    next_certificate_pem: null,
    next_expires_at: null,
    former_certificate_pem: null,
    former_expires_at: null,
  };
  expect((await service.rest('GET', keys)).body).toEqual(settled);
  const step = (name: string, version?: number) =>
    service.rest('PUT', keys, { step: name }, version === undefined ? {} : { 'If-Match': `"${version}"` });
  expect(refused(await step('drop_former'))).toMatchObject({
    status: 409,
    code: 'OUT_OF_ORDER',
    msg: 'No next key is announced: the next step is `announce`.',
  });
  expect(refused(await step('announce', 1))).toMatchObject({ status: 412, code: 'VERSION_CONFLICT' });
  const other = keys.replace(edgeId, (await service.rest('POST', '/edges/https', {})).body.id);
  expect((await service.rest('PUT', other, { step: 'announce' })).status).toBe(404);
  const announced = await step('announce', 2);
  expect([announced.headers.get('etag'), announced.body]).toEqual([
    '"3"',
    {
      ...settled,
      state: 'announced',
      next_step: 'take_over',
      changed_at: '2026-11-20T21:00:00Z',
      next_certificate_pem: pem,
      next_expires_at: end,
    },
  ]);
  const { next_certificate_pem: next } = announced.body;
  expect((await step('take_over')).body).toMatchObject({
    state: 'taken_over',
    next_step: 'drop_former',
    signing_certificate_pem: next,
    next_certificate_pem: null,
    former_certificate_pem: settled.signing_certificate_pem,
    former_expires_at: end,
  });
  expect((await step('drop_former')).body).toMatchObject({ state: 'settled', former_certificate_pem: null });
  expect((await service.rest('GET', path)).body.request_signing_certificate_pem).toBe(next);
});

describe('PUT .../saml', () => {
  test('answers with every field, and with the defaults for what it leaves out', async () => {
    const { status, body } = await put({ idp_metadata: metadata });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        ...defaults,
        idp_metadata: metadata,
        idp_metadata_url: '',
        idp_entity_id: '',
        login_route_id: null,
        entity_id: `https://sallyport.test/saml/${routeId}`,
        metadata_url: `https://sallyport.test/saml/${routeId}`,
        assertion_consumer_service_url: `https://sallyport.test/saml/${routeId}/acs`,
        single_logout_url: `https://sallyport.test/saml/${routeId}/slo`,
        request_signing_certificate_pem: expect.stringMatching(
          /^-----BEGIN CERTIFICATE-----\n[\w+/=\n]+\n-----END CERTIFICATE-----\n$/,
        ),
      },
    });
    expect((await service.rest('GET', path)).body).toEqual(body);
    expect((await service.rest('GET', path.replace('/saml', ''))).body.saml).toEqual(body);
    expect((await service.rest('GET', `/edges/https/${edgeId}`)).body.routes.at(-1).saml).toEqual(body);
  });

  test('gives back what it sets, and later the defaults again', async () => {
    const all = {
      enabled: false,
      options_passthrough: true,
      cookie_prefix: 'A.b_c-9',
      inactivity_timeout: 4_294_967_295,
      maximum_duration: 4_294_967_294,
      force_authn: true,
      allow_idp_initiated: false,
      authorized_groups: ['b', 'a', 'b', 'cn=ä, dc=example'],
      nameid_format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
      idp_metadata: metadata,
    };
    expect((await put(all)).body).toMatchObject(all);
    expect((await service.rest('GET', path)).body).toMatchObject(all);
    expect((await put({ idp_metadata: metadata })).body).toMatchObject(defaults);
  });

  test('changes nothing that can be seen when it is repeated', async () => {
    const first = await put({ idp_metadata: metadata });
    service.setTime(new Date('2027-01-01T00:00:00Z'));
    expect((await put({ idp_metadata: metadata })).body).toEqual(first.body);
  });

  test('counts up the version of the route, which it has as its ETag', async () => {
    const first = await put({ idp_metadata: metadata });
    const etag = first.headers.get('etag') ?? '';
    const route = await service.rest('GET', path.replace('/saml', ''));
    expect(route.headers.get('etag')).toBe(etag);
    const second = await put({ idp_metadata: metadata, enabled: false }, { 'If-Match': etag });
    expect(second.headers.get('etag')).toBe(`"${Number(etag.slice(1, -1)) + 1}"`);
    expect((await put({ idp_metadata: metadata }, { 'If-Match': etag })).status).toBe(412);
    const read = await service.rest('GET', path.replace('/saml', ''), undefined, { 'If-None-Match': etag });
    expect(read.body.saml.enabled).toBe(false);
  });

  const number = 'must be a whole number from 0 to 4294967295 or null.';
  test.each([
    ['inactivity_timeout', -1, number],
    ['inactivity_timeout', 4_294_967_296, number],
    ['cookie_prefix', 'a b', 'must have 1 to 64 letters, digits, dots, underscores and dashes.'],
    ['cookie_prefix', 'a'.repeat(65), 'must have 1 to 64 letters, digits, dots, underscores and dashes.'],
    [
      'nameid_format',
      'urn:oasis:names:tc:SAML:2.0:nameid-format:kerberos',
      expect.stringMatching(/^must be one of urn/),
    ],
    [
      'idp_metadata',
      '',
      'must be given, or the URL at which it is read, unless another route is named whose registration is used.',
    ],
    [
      'idp_metadata',
      ' https://idp.example.com/metadata ',
      'is only an address. Give it as the URL at which the metadata is read, or give the XML that it shows.',
    ],
    ['idp_metadata', '<a/>', expect.stringMatching(/its root must be EntityDescriptor/)],
    ['idp_metadata', '<!DOCTYPE a><EntityDescriptor entityID="a"/>', expect.stringMatching(/DOCTYPE/)],
    ['idp_metadata', ' '.repeat(262_145), 'must be at most 262144 bytes of UTF-8; it has 262145.'],
    ['entity_id', 'https://a', 'is set by the server. Leave it out.'],
  ])('refuses %s %j', async (field, value, message) => {
    const answer = refused(await put({ idp_metadata: metadata, [field]: value }));
    expect(answer).toMatchObject({ status: 400, field });
    expect(answer.msg.slice(field.length + 2)).toEqual(message);
  });

  test.each([
    ['an empty group', '', 'must not be empty. Remove the entry.'],
    ['a group of 1,025 bytes', 'a'.repeat(1025), 'must be at most 1024 bytes of UTF-8; it has 1025.'],
    ['null as a group', null, 'must be a string.'],
  ])('refuses %s', async (_, group, message) => {
    const answer = refused(await put({ idp_metadata: metadata, authorized_groups: ['a', group] }));
    expect(answer.msg).toBe(`authorized_groups[1]: ${message}`);
  });

  test('answers hostile metadata at once, without keeping others waiting', async () => {
    const nested = `<EntityDescriptor entityID="a">${'<a>'.repeat(50_000)}`;
    const bomb = `<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]><EntityDescriptor entityID="&b;"/>`;
    const refuse = async (texts: string[]) => {
      const attacks = texts.map((idp_metadata) => put({ idp_metadata }));
      expect((await service.rest('GET', '/edges/https?limit=1')).status).toBe(200);
      expect((await Promise.all(attacks)).map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    };
    // Text of the same size that is not XML is refused at its start.
    const harmless = [nested, bomb, nested, bomb].map((text) => 'x'.repeat(text.length));
    expect(
      await growth(
        () => refuse(harmless),
        () => refuse([nested, bomb, nested, bomb]),
      ),
    ).toBeLessThan(10);
  });
});

describe('the signing key', () => {
  test('is made by the first PUT, stays through later ones, and ends with DELETE', async () => {
    const { path, routeId } = await newRoute('/key');
    const certificateAfterPut = async () =>
      (await service.rest('PUT', path, { idp_metadata: metadata })).body.request_signing_certificate_pem;
    const first = await certificateAfterPut();
    expect(new X509Certificate(first).subject).toBe(`O=Sallyport\nCN=${routeId}`);
    expect(await certificateAfterPut()).toBe(first);
    expect((await service.rest('DELETE', path)).status).toBe(204);
    expect(await certificateAfterPut()).not.toBe(first);
  });

  test('is generated once for 50 first PUTs at once, and every answer shows it', async () => {
    const { path } = await newRoute('/race');
    // That is more keys than one account may have waiting: if each PUT generated its own key, some would be refused.
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        service.rest('PUT', path, { idp_metadata: metadata, inactivity_timeout: index }),
      ),
    );
    const kept = (await service.rest('GET', path)).body;
    expect(answers.map(({ status, body }) => [status, body.inactivity_timeout])).toEqual(
      answers.map((_, index) => [200, index]),
    );
    const certificates = new Set(answers.map(({ body }) => body.request_signing_certificate_pem));
    expect([...certificates]).toEqual([kept.request_signing_certificate_pem]);
  });

  test('stays whole while PUT and DELETE race: the certificate shown is the one of the key kept', async () => {
    const { path, routeId } = await newRoute('/churn');
    // With a module there at the start, some PUTs find it gone when they write.
    await service.rest('PUT', path, { idp_metadata: metadata });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        index % 3 === 0 ? service.rest('DELETE', path) : service.rest('PUT', path, { idp_metadata: metadata }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, index) => (index % 3 === 0 ? 204 : 200)));
    const last = await service.rest('PUT', path, { idp_metadata: metadata });
    const certificate = new X509Certificate(last.body.request_signing_certificate_pem);
    expect(certificate.checkPrivateKey(await privateKeyOf(routeId))).toBe(true);
  });

  test('does not wait for what another account asks of the same route, which is no secret', async () => {
    const { routeId: id } = await newRoute('/queue');
    const stranger = service.storage.actingFor(
      (await service.storage.accounts.create('stranger', commandLine)).id,
      commandLine,
    );
    let refusals = 0;
    const strange = Array.from({ length: 100 }, () =>
      deleteLoginModule(stranger, 'saml', { edgeId, id }).catch(({ code }) => {
        refusals += code === 'NOT_FOUND' ? 1 : 0;
      }),
    );
    await deleteLoginModule(await ownScope(), 'saml', { edgeId, id });
    expect(refusals).toBeLessThan(50);
    await Promise.all(strange);
    expect(refusals).toBe(100);
  });

  test('refuses more than 100 changes that wait for one route, and none of another route', async () => {
    const [{ routeId: id }, { routeId: other }] = [await newRoute('/bound'), await newRoute('/unbound')];
    const scope = await ownScope();
    const changes = Array.from({ length: 130 }, () =>
      deleteLoginModule(scope, 'saml', { edgeId, id }).then(
        () => 'ok',
        ({ code }) => code,
      ),
    );
    await deleteLoginModule(scope, 'saml', { edgeId, id: other });
    const ends = await Promise.all(changes);
    expect([ends.filter((end) => end === 'ok').length, ends.filter((end) => end === 'UNAVAILABLE').length]).toEqual([
      101, 29,
    ]);
  });

  test('is made anew by a PUT whose module is removed between its look and its write', async () => {
    const { path, routeId: id } = await newRoute('/gone');
    const before = (await service.rest('PUT', path, { idp_metadata: metadata })).body;
    const scope = await ownScope();
    // HTTP requests cannot be timed this closely. These calls read in the same event loop turn and write in this order.
    await Promise.all([
      deleteLoginModule(scope, 'saml', { edgeId, id }),
      deleteLoginModule(scope, 'saml', { edgeId, id }),
      replaceSamlModule(scope, { edgeId, id, idpMetadata: metadata }),
    ]);
    const after = (await service.rest('GET', path)).body;
    expect(after.request_signing_certificate_pem).not.toBe(before.request_signing_certificate_pem);
    expect({ ...after, request_signing_certificate_pem: '' }).toEqual({
      ...before,
      request_signing_certificate_pem: '',
    });
  });

  test('is nowhere to be seen: not in an answer, not in clear in the database', async () => {
    const der = (await privateKeyOf(routeId)).export({ type: 'pkcs8', format: 'der' });
    const secretPart = der.subarray(300, 340);
    expect((await contentsOf(service.database)).includes(secretPart)).toBe(false);
    const answers = await Promise.all([
      service.rest('GET', path),
      service.rest('GET', '/edges/https'),
      service.graphql('{ __type(name: "SamlModule") { fields { name } } }'),
    ]);
    expect(JSON.stringify(answers)).not.toMatch(/private|sealed/i);
  });

  test('is not even read from the database to answer', async () => {
    service.statements.length = 0;
    await put({ idp_metadata: metadata });
    await service.rest('GET', '/edges/https');
    const reading = service.statements.filter(
      (sql) => /^SELECT/i.test(sql) && /sealed(PrivateKey|DecryptionKeys)/.test(sql),
    );
    expect(service.statements.length).toBeGreaterThan(3);
    expect(reading).toEqual([]);
  });
});

async function ownScope() {
  const [account] = await service.storage.accounts.list();
  if (account === undefined) throw new Error('There is no account.');
  return service.storage.actingFor(account.id, commandLine);
}

async function privateKeyOf(id: string) {
  const { db, secrets } = await ownScope();
  const { sealedPrivateKey } = await db.samlModule.findUniqueOrThrow({ where: { routeId: id } });
  const key = secrets.open(sealedPrivateKey, `SamlModule ${id}`);
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
}

describe('DELETE .../saml', () => {
  test('is 204 whether the module is set or not, and GET is 404 after it', async () => {
    const { path } = await newRoute('/delete');
    expect((await service.rest('DELETE', path)).status).toBe(204);
    await service.rest('PUT', path, { idp_metadata: metadata });
    for (let count = 0; count < 2; count++) {
      const { status, body } = await service.rest('DELETE', path);
      expect({ status, body }).toEqual({ status: 204, body: undefined });
    }
    const { status, body } = await service.rest('GET', path);
    expect([status, body.error_code, body.msg]).toEqual([404, 'NOT_FOUND', 'No such object in this account.']);
    expect((await service.rest('GET', path.replace('/saml', ''))).body.saml).toBeNull();
  });

  test('removes nothing of a route that has changed since it was seen', async () => {
    const headers = { 'If-Match': '"1"' };
    expect((await service.rest('DELETE', path, undefined, headers)).status).toBe(412);
    expect((await service.rest('GET', path)).status).toBe(200);
  });

  test('is not the only end of a module: its route takes it along', async () => {
    const { path, routeId } = await newRoute('/with-route');
    await service.rest('PUT', path, { idp_metadata: metadata });
    expect((await service.rest('DELETE', path.replace('/saml', ''))).status).toBe(204);
    expect((await fetch(`${service.url}/saml/${routeId}`)).status).toBe(404);
    await expect(privateKeyOf(routeId)).rejects.toThrow();
  });
});

describe('GET /saml/{route_id}', () => {
  const read = (id: string, init: RequestInit = {}) => fetch(`${service.url}/saml/${id}`, init);

  test('serves metadata without a key, with the certificate and the URLs of the module', async () => {
    const module = (await put({ idp_metadata: metadata })).body;
    const answer = await read(routeId);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'application/samlmetadata+xml; charset=utf-8',
    ]);
    const document = new DOMParser().parseFromString(await answer.text(), 'text/xml');
    const first = (name: string) => document.getElementsByTagNameNS('*', name)[0];
    expect(document.documentElement?.getAttribute('entityID')).toBe(module.entity_id);
    expect(first('AssertionConsumerService')?.getAttribute('Location')).toBe(module.assertion_consumer_service_url);
    expect(first('SingleLogoutService')?.getAttribute('Location')).toBe(module.single_logout_url);
    expect(first('NameIDFormat')?.textContent).toBe(module.nameid_format);
    const certificate = new X509Certificate(Buffer.from(first('X509Certificate')?.textContent ?? '', 'base64'));
    expect(certificate.fingerprint256).toBe(new X509Certificate(module.request_signing_certificate_pem).fingerprint256);
  });

  test('says what a SAML library says of a service provider with the same key and URLs', async () => {
    const module = (await put({ idp_metadata: metadata })).body;
    const ours = new DOMParser().parseFromString(await (await read(routeId)).text(), 'text/xml');
    const library = new DOMParser().parseFromString(
      new SAML({
        ...(await libraryOptions(module)),
        logoutCallbackUrl: module.single_logout_url,
        identifierFormat: module.nameid_format,
        wantAssertionsSigned: true,
      }).generateServiceProviderMetadata(null, module.request_signing_certificate_pem),
      'text/xml',
    );
    const facts = (document: typeof ours) =>
      [
        ['EntityDescriptor', 'entityID'],
        ['SPSSODescriptor', 'protocolSupportEnumeration'],
        ['SPSSODescriptor', 'AuthnRequestsSigned'],
        ['SPSSODescriptor', 'WantAssertionsSigned'],
        ['KeyDescriptor', 'use'],
        ['X509Certificate', ''],
        ['NameIDFormat', ''],
        ['SingleLogoutService', 'Binding'],
        ['SingleLogoutService', 'Location'],
        ['AssertionConsumerService', 'Binding'],
        ['AssertionConsumerService', 'Location'],
      ].map(([name = '', attribute = '']) => {
        const element = document.getElementsByTagNameNS('*', name)[0];
        const value = attribute === '' ? element?.textContent : element?.getAttribute(attribute);
        return [element?.namespaceURI, name, attribute, value?.replace(/\s/g, '')];
      });
    expect(facts(ours)).toEqual(facts(library));
  });

  test('has the certificate that verifies a request which a SAML library signs with the key kept', async () => {
    const module = (await service.rest('GET', path)).body;
    const url = await new SAML(await libraryOptions(module)).getAuthorizeUrlAsync('', undefined, {});
    const [signed = '', signature = ''] = new URL(url).search.slice(1).split('&Signature=');
    const { publicKey } = new X509Certificate(module.request_signing_certificate_pem);
    const bytes = Buffer.from(decodeURIComponent(signature), 'base64');
    expect(verify('sha256', Buffer.from(signed), publicKey, bytes)).toBe(true);
  });

  async function libraryOptions(module: RestAnswer['body']) {
    return {
      issuer: module.entity_id,
      callbackUrl: module.assertion_consumer_service_url,
      entryPoint: 'https://idp.example.com/sso',
      // The library requires an IdP certificate; nothing here is verified with it.
      idpCert: module.request_signing_certificate_pem,
      privateKey: (await privateKeyOf(routeId)).export({ type: 'pkcs8', format: 'pem' }).toString(),
      signatureAlgorithm: 'sha256' as const,
    };
  }

  test('tells by its ETag whether anything has changed', async () => {
    await put({ idp_metadata: metadata });
    const etag = (await read(routeId)).headers.get('etag') ?? '';
    // Not with `fetch`, which would ask for a full answer.
    const readUnless = () => send(`${service.url}/saml/${routeId}`, { headers: { 'If-None-Match': etag } });
    const again = await readUnless();
    expect([again.status, again.text]).toEqual([304, '']);
    await put({ idp_metadata: metadata, nameid_format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' });
    const changed = await readUnless();
    expect([changed.status, changed.text.includes('nameid-format:transient')]).toEqual([200, true]);
  });

  test('is there for a module that is not enabled, so that the identity provider can be set up first', async () => {
    await put({ idp_metadata: metadata, enabled: false });
    expect((await read(routeId)).status).toBe(200);
  });

  test('is 404 in JSON for a route that is unknown or has no module', async () => {
    const { routeId: bare } = await newRoute('/bare');
    for (const id of [bare, 'edghtsrt_00000000000000000000000000', edgeId, 'x', '%00']) {
      const answer = await read(id);
      expect(await answer.json()).toEqual({
        error_code: 'NOT_FOUND',
        status_code: 404,
        msg: 'No such object in this account.',
        details: { operation_id: answer.headers.get('x-request-id') },
      });
      expect(answer.status).toBe(404);
    }
  });

  test('names the host that it was asked at, when none is configured', async () => {
    const own = ofOneServer(await startService({ baseUrl: null }));
    const edge = (await own.rest('POST', '/edges/https', {})).body.id;
    const route = { match_type: 'path_prefix', match: '/' };
    const { id } = (await own.rest('POST', `/edges/https/${edge}/routes`, route)).body;
    const module = await own.rest('PUT', `/edges/https/${edge}/routes/${id}/saml`, { idp_metadata: metadata });
    expect(module.body.metadata_url).toBe(`${own.url}/saml/${id}`);
    expect(await (await fetch(module.body.metadata_url)).text()).toContain(`entityID="${own.url}/saml/${id}"`);
    // The certificate is valid for years, so it must not contain the host of a request.
    const { subject, issuer } = new X509Certificate(module.body.request_signing_certificate_pem);
    expect([subject, issuer]).toEqual([`O=Sallyport\nCN=${id}`, `O=Sallyport\nCN=${id}`]);
    await own.close();
  });
});
