// People sign in to the dashboard by SAML: whole sign-ins, answers that are forged, replayed, or brought by another browser, and what a
// provider by SAML may be set to.

import { createPublicKey } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseRange } from '../../../src/domain/ip/cidr.ts';
import { type RefusalReason, refusalReasons } from '../../../src/domain/saml/refusal.ts';
import { createOutgoing } from '../../../src/outgoing/outgoing.ts';
import { checks } from '../../../src/surfaces/kit/saml-turns.ts';
import { dataOf } from '../../support/answers.ts';
import { DashboardBrowser } from '../../support/dashboard-browser.ts';
import {
  assertionXml,
  attribute,
  encode,
  encrypted,
  honest,
  idpEntityId,
  idpMetadata,
  makeIdpKey,
  responseXml,
  type Spoken,
  shifted,
  signed,
  signedResponse,
  wellKnownIdpKey,
} from '../../support/identity-provider.ts';
import { serveMetadata, severalMetadata } from '../../support/metadata-server.ts';
import { accountOf, baseUrl, ofOneServer, startService, startTime, type TestService } from '../../support/service.ts';
import { statementsOf } from '../../support/statements.ts';

const key = wellKnownIdpKey();
const metadata = idpMetadata([key]);
let shared: TestService;
let service: TestService;
const server = await serveMetadata();
beforeAll(async () => {
  const outgoing = createOutgoing({ outgoingNetworks: [parseRange('networks', '127.0.0.0/8')], outgoingDns: [] });
  shared = await startService({ outgoing });
});
afterAll(async () => {
  server.close();
  expect(shared.failures).toEqual([]);
  await shared.close();
});
beforeEach(async () => {
  service = ofOneServer(await shared.asNewAccount());
  service.setTime(startTime);
});

const staffOperate = { role_mappings: [{ group: 'staff', role: 'operator' }] };
async function makeProvider(settings: object = {}, saml: object = {}): Promise<string> {
  const body = { name: 'Ours', ...staffOperate, ...settings, saml: { idp_metadata: metadata, ...saml } };
  const made = await service.rest('POST', '/sign_in_providers', body);
  expect([made.status, made.body]).toEqual([201, expect.anything()]);
  return made.body.id;
}

const urlsOf = (id: string) => ({
  entityId: `${baseUrl}/dashboard/sign-in/${id}/metadata`,
  acs: `${baseUrl}/dashboard/sign-in/${id}/acs`,
});

/** A browser on its way to the identity provider and back. */
class Visitor {
  readonly cookies = new Map<string, string>();

  async #fetch(url: string, init: RequestInit, isCrossSite = false) {
    const cookie = isCrossSite ? '' : [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const { pathname, search } = new URL(url, baseUrl);
    const headers = cookie === '' ? {} : { cookie };
    const answer = await fetch(`${service.url}${pathname}${search}`, { redirect: 'manual', headers, ...init });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.cookies.set(name, value);
    }
    return { status: answer.status, headers: answer.headers, body: await answer.text() };
  }

  /** Leaves for the identity provider. Returns what it is asked. */
  async leave(id: string, to = '') {
    const { status, headers } = await this.#fetch(`/dashboard/sign-in/${id}${to}`, {});
    expect(status).toBe(303);
    const url = new URL(headers.get('location') ?? '');
    const xml = inflateRawSync(Buffer.from(url.searchParams.get('SAMLRequest') ?? '', 'base64')).toString();
    return {
      url,
      xml,
      requestId: / ID="([^"]+)"/.exec(xml)?.[1] ?? '',
      relayState: url.searchParams.get('RelayState'),
    };
  }

  /** Posts a response as a page of our own does, or one of another site, with which the browser sends no cookie. */
  bring(id: string, xml: string, relayState: string | null = null, isCrossSite = false) {
    const body = new URLSearchParams({
      SAMLResponse: encode(xml),
      ...(relayState !== null && { RelayState: relayState }),
    });
    return this.#fetch(urlsOf(id).acs, { method: 'POST', body }, isCrossSite);
  }

  /** Signs in, and returns the last page. */
  async signIn(id: string, change: (spoken: Spoken) => Partial<Spoken> = () => ({})) {
    const { requestId } = await this.leave(id);
    return this.bring(id, responseTo(id, requestId, change));
  }

  dashboard(): DashboardBrowser {
    const browser = new DashboardBrowser(service);
    browser.cookie = `__Host-sallyport_session=${this.cookies.get('__Host-sallyport_session') ?? ''}`;
    return browser;
  }
}

let responses = 0;
const spokenTo = (id: string, requestId: string | null) =>
  honest({ ...urlsOf(id), inResponseTo: requestId, now: startTime });
/** Writes an honest response, but for a change. */
function responseTo(id: string, requestId: string | null, change: (spoken: Spoken) => Partial<Spoken> = () => ({})) {
  responses += 1;
  const spoken = spokenTo(id, requestId);
  return signedResponse({ ...spoken, ...change(spoken) }, key, {}, `_assertion${responses}`);
}

const viewer = '{ viewer { scopes person { displayName subject groups roles } } }';
const refusals = async () => {
  await service.storage.refusals.settled();
  const query = '{ auditEvents(action: refuse) { nodes { refusal { reason } } } }';
  const { nodes } = dataOf(await service.graphql(query)).auditEvents;
  return nodes.map(({ refusal }: { refusal: { reason: string } }) => refusal.reason.split(':')[0]);
};

test('a response that is one too many is refused for one look-up, before its provider is found', async () => {
  const id = await makeProvider();
  const accountId = await accountOf(service);
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const waiting = Array.from({ length: 101 }, () =>
    checks.login.run(accountId, () => held, undefined, { sender: '127.0.0.1' }),
  );
  const answers: number[] = [];
  const statements = await statementsOf(service, async () => {
    answers.push((await new Visitor().bring(id, responseTo(id, null))).status);
  });
  end();
  await Promise.all(waiting);
  expect([answers, statements]).toEqual([[503], [expect.stringMatching(/^SELECT "accountId" FROM "SignInProvider"/)]]);
});

describe('signing in by SAML', () => {
  test('leads to the identity provider with a signed request, and back to the page', async () => {
    const id = await makeProvider();
    const visitor = new Visitor();
    const { url, xml, requestId, relayState } = await visitor.leave(id, '?to=ip-policies%3Fsearch%3Dx');
    expect([`${url.origin}${url.pathname}`, url.searchParams.has('Signature'), relayState]).toEqual([
      'https://idp.example.com/sso',
      true,
      'ip-policies?search=x',
    ]);
    expect(xml).toContain(`AssertionConsumerServiceURL="${urlsOf(id).acs}"`);
    expect(xml).toContain(`<saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${urlsOf(id).entityId}<`);
    const page = await visitor.bring(id, responseTo(id, requestId), relayState);
    expect(page).toMatchObject({
      status: 200,
      body: expect.stringContaining('<meta http-equiv="refresh" content="0; url=../../ip-policies?search=x">'),
    });
    expect((await visitor.dashboard().graphql(viewer)).data.viewer).toEqual({
      scopes: expect.arrayContaining(['ip-policies:write']),
      person: { displayName: 'amy@example.com', subject: 'amy', groups: ['staff', 'admins'], roles: ['operator'] },
    });
  });

  test('brings the response once more from a page of our own, where the browser leaves its cookie out of the first', async () => {
    const id = await makeProvider();
    const visitor = new Visitor();
    const { requestId } = await visitor.leave(id);
    const xml = responseTo(id, requestId);
    const page = await visitor.bring(id, xml, null, true);
    expect([page.status, page.headers.getSetCookie()]).toEqual([200, []]);
    expect(page.body).toContain(`<form method="post" action="${urlsOf(id).acs}">`);
    expect(page.body).toContain('name="again" value="yes"');
    expect((await visitor.bring(id, xml)).status).toBe(200);
    expect(await refusals()).toEqual([]);
  });

  test.each(['//evil.example.com', 'https://evil.example.com/', '/x', 'javascript:alert(1)', 'a/../../..'])(
    'does not lead to %s',
    async (relayState) => {
      const id = await makeProvider();
      const visitor = new Visitor();
      const { requestId } = await visitor.leave(id);
      const { body } = await visitor.bring(id, responseTo(id, requestId), relayState);
      expect(body).toContain('content="0; url=../../"');
    },
  );

  test('takes subject, name, address and groups from the attributes that are chosen', async () => {
    const chosen = {
      subject_attribute: 'uid',
      email_attribute: 'work',
      name_attribute: 'cn',
      groups_attribute: 'teams',
    };
    const id = await makeProvider({ authorized_email_domains: ['example.org'] }, chosen);
    const attributes = `<saml:AttributeStatement>${attribute('uid', 'u-1')}${attribute('work', 'a@example.org')}${attribute(
      'cn',
      'Amy A.',
    )}${attribute('teams', 'staff')}${attribute('groups', 'admins')}</saml:AttributeStatement>`;
    const visitor = new Visitor();
    expect((await visitor.signIn(id, () => ({ attributes }))).status).toBe(200);
    expect((await visitor.dashboard().graphql(viewer)).data.viewer.person).toEqual({
      displayName: 'Amy A. <a@example.org>',
      subject: 'u-1',
      groups: ['staff'],
      roles: ['operator'],
    });
    expect((await new Visitor().signIn(id)).status).toBe(403);
    const other = attributes.replace('example.org', 'example.com');
    expect((await new Visitor().signIn(id, () => ({ attributes: other }))).status).toBe(403);
    expect((await refusals()).sort()).toEqual(['email_domain', 'name_id']);
  });

  test('ends with a person who is blocked, and without a role', async () => {
    const id = await makeProvider();
    const visitor = new Visitor();
    await visitor.signIn(id);
    const { nodes } = dataOf(await service.graphql('{ people { nodes { id } } }')).people;
    await service.graphql('mutation ($id: ID!) { blockPerson(input: { id: $id }) { person { id } } }', nodes[0]);
    expect((await visitor.dashboard().graphql(viewer)).status).toBe(401);
    expect((await new Visitor().signIn(id)).body).toContain('You are kept out of this account.');
    const nobody = await new Visitor().signIn(id, ({ subject, attributes }) => ({
      subject: subject.replace('>amy<', '>bob<'),
      attributes: attributes.replace('staff', 'guests'),
    }));
    expect(nobody.body).toContain('It named these groups: &#34;guests&#34;, &#34;admins&#34;.');
    expect((await refusals()).sort()).toEqual(['blocked', 'no_role']);
  });
});

/** What the identity provider never said, or said of something else: as the gate's table, at the console's own address. */
const forgeries: readonly [string, RefusalReason, (id: string, requestId: string) => string][] = [
  [
    'is not signed',
    'signature',
    (id, request) => {
      const spoken = spokenTo(id, request);
      return responseXml(spoken, assertionXml(spoken));
    },
  ],
  ['is signed by another key', 'signature', (id, request) => signedResponse(spokenTo(id, request), makeIdpKey())],
  [
    'is encrypted for another key',
    'signature',
    (id, request) => {
      const spoken = spokenTo(id, request);
      const assertion = signed(assertionXml(spoken), 'Assertion', key);
      const stranger = createPublicKey(makeIdpKey().privateKey);
      return responseXml(spoken, encrypted('EncryptedAssertion', assertion, stranger, {}));
    },
  ],
  ['was changed afterwards', 'signature', (id, request) => responseTo(id, request).replace('>amy<', '>eve<')],
  [
    'has an assertion wrapped around the signed one',
    'several_assertions',
    (id, request) => {
      const spoken = spokenTo(id, request);
      const inner = signed(assertionXml(spoken), 'Assertion', key);
      const forged = assertionXml({ ...spoken, subject: spoken.subject.replace('>amy<', '>eve<') }, '_evil');
      return responseXml(spoken, forged.replace('</saml:Assertion>', `${inner}</saml:Assertion>`));
    },
  ],
  [
    'is for another audience',
    'audience',
    (id, request) =>
      responseTo(id, request, ({ conditions }) => ({ conditions: conditions.replace('/metadata<', '/other<') })),
  ],
  [
    'has another recipient',
    'destination',
    (id, request) => responseTo(id, request, ({ subject }) => ({ subject: subject.replace('/acs"', '/callback"') })),
  ],
  [
    'has another destination',
    'destination',
    (id, request) =>
      responseTo(id, request, ({ responseAttributes }) => ({
        responseAttributes: responseAttributes.replace('/acs"', '/other"'),
      })),
  ],
  [
    'has another issuer',
    'issuer',
    (id, request) =>
      responseTo(id, request, ({ issuer }) => ({ issuer: issuer.replace(idpEntityId, 'https://other.example.com') })),
  ],
  ['answers a request that was never sent', 'in_response_to', (id) => responseTo(id, '_never')],
  [
    'has expired',
    'expired',
    (id, request) =>
      responseTo(id, request, ({ conditions }) => ({
        conditions: conditions.replace(shifted(startTime, 300), shifted(startTime, -3600)),
      })),
  ],
  [
    'is not valid yet',
    'not_yet_valid',
    (id, request) =>
      responseTo(id, request, ({ conditions }) => ({
        conditions: conditions.replace(shifted(startTime, -30), shifted(startTime, 3600)),
      })),
  ],
  ['began at the identity provider', 'unsolicited', (id) => responseTo(id, null)],
  [
    'says that the sign-in failed',
    'status',
    (id, request) => responseTo(id, request, ({ status }) => ({ status: status.replace('Success', 'Responder') })),
  ],
];

describe('nobody is signed in', () => {
  test.each(forgeries)('by a response that %s, and it is on record', async (_, reason, write) => {
    const id = await makeProvider();
    const visitor = new Visitor();
    const { requestId } = await visitor.leave(id);
    const sentMs = performance.now();
    const { status, headers, body } = await visitor.bring(id, write(id, requestId));
    // At the end of a step: how long a check takes tells nothing.
    expect([status, headers.getSetCookie(), body, performance.now() - sentMs > 28]).toEqual([
      403,
      [],
      expect.stringContaining(`<p>${refusalReasons[reason]}</p>`),
      true,
    ]);
    expect(await refusals()).toEqual([reason]);
  });

  test('by an answer that was given before, whoever brings it', async () => {
    const id = await makeProvider();
    const visitor = new Visitor();
    const { requestId } = await visitor.leave(id);
    const xml = responseTo(id, requestId);
    expect((await visitor.bring(id, xml)).status).toBe(200);
    expect((await visitor.bring(id, xml)).status).toBe(403);
    // Another assertion for the same request.
    expect((await visitor.bring(id, responseTo(id, requestId))).status).toBe(403);
    expect(await refusals()).toEqual(['replayed', 'replayed']);
  });

  test('in a browser that did not begin: somebody else could have begun for it', async () => {
    const id = await makeProvider();
    const { requestId } = await new Visitor().leave(id);
    const victim = new Visitor();
    await victim.leave(id);
    expect((await victim.bring(id, responseTo(id, requestId))).status).toBe(403);
    expect(await refusals()).toEqual(['state']);
  });

  test('by a request of another provider, a provider of another account, or one that is disabled', async () => {
    const id = await makeProvider();
    const other = await makeProvider({ name: 'Other' });
    const visitor = new Visitor();
    const { requestId } = await visitor.leave(other);
    expect((await visitor.bring(id, responseTo(id, requestId))).status).toBe(403);
    await service.rest('PATCH', `/sign_in_providers/${id}`, { enabled: false });
    expect((await visitor.bring(id, responseTo(id, requestId))).status).toBe(404);
  });

  test('whose request is too old', async () => {
    const id = await makeProvider();
    const visitor = new Visitor();
    const { requestId } = await visitor.leave(id);
    const late = new Date(startTime.getTime() + 601_000);
    service.setTime(late);
    const spoken = honest({ ...urlsOf(id), inResponseTo: requestId, now: late });
    const { status } = await visitor.bring(id, signedResponse(spoken, key));
    service.setTime(startTime);
    expect([status, await refusals()]).toEqual([403, ['in_response_to']]);
  });
});

describe('a provider by SAML', () => {
  test('has metadata and addresses of its own before people can sign in there', async () => {
    const id = await makeProvider({ enabled: false });
    const { body } = await service.rest('GET', `/sign_in_providers/${id}`);
    expect(body).toMatchObject({
      protocol: 'saml',
      issuer: idpEntityId,
      client_id: '',
      redirect_url: urlsOf(id).acs,
      saml: {
        entity_id: urlsOf(id).entityId,
        metadata_url: urlsOf(id).entityId,
        assertion_consumer_service_url: urlsOf(id).acs,
        subject_attribute: '',
        request_signing_certificate_pem: expect.stringMatching(/^-----BEGIN CERTIFICATE-----/),
        encryption_certificate_pem: expect.stringMatching(/^-----BEGIN CERTIFICATE-----/),
      },
    });
    const xml = await (await fetch(body.saml.metadata_url.replace(baseUrl, service.url))).text();
    expect(xml).toContain(`entityID="${urlsOf(id).entityId}"`);
    expect(xml).toContain(`Location="${urlsOf(id).acs}"`);
    expect(xml).not.toContain('SingleLogoutService');
  });

  test.each([
    ['saml.idp_metadata', { saml: {} }],
    ['saml.idp_metadata', { saml: { idp_metadata: '<a/>' } }],
    ['saml.idp_metadata', { saml: { idp_metadata: idpMetadata([]) } }],
    ['saml.idp_metadata', { saml: { idp_metadata: idpMetadata([key], ' validUntil="2020-01-01T00:00:00Z"') } }],
    ['saml.nameid_format', { saml: { idp_metadata: metadata, nameid_format: 'email' } }],
    [
      'saml.nameid_format',
      { saml: { idp_metadata: metadata, nameid_format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' } },
    ],
    ['saml.subject_attribute', { saml: { idp_metadata: metadata, subject_attribute: 'a'.repeat(256) } }],
    ['client_id', { saml: { idp_metadata: metadata }, client_id: 'x' }],
    ['issuer', {}],
  ])('is refused for its %s, with what to mend', async (field, settings) => {
    const { status, body } = await service.rest('POST', '/sign_in_providers', { name: 'Wrong', ...settings });
    expect([status, body.error_code, body.msg]).toEqual([400, 'INVALID_INPUT', expect.stringContaining(field)]);
  });

  test('keeps its entity id, signs everybody out where others are let in, and comes back from the trail', async () => {
    const id = await makeProvider();
    const path = `/sign_in_providers/${id}`;
    const visitor = new Visitor();
    await visitor.signIn(id);
    const other = metadata.replace(idpEntityId, 'https://other.example.com');
    const refused = await service.rest('PATCH', path, { saml: { idp_metadata: other } });
    expect([refused.status, refused.body.msg]).toEqual([400, expect.stringContaining('Create another provider.')]);
    expect((await service.rest('PATCH', path, { saml: { idp_metadata: `${metadata}\n` } })).status).toBe(200);
    expect((await visitor.dashboard().graphql(viewer)).status).toBe(200);
    service.setTime(new Date(startTime.getTime() + 1000));
    expect((await service.rest('PATCH', path, { saml: { subject_attribute: 'mail' } })).status).toBe(200);
    service.setTime(startTime);
    expect((await visitor.dashboard().graphql(viewer)).status).toBe(401);
    const query = 'query ($id: ID!) { auditEvents(objectId: $id) { nodes { id action } } }';
    const { nodes } = dataOf(await service.graphql(query, { id })).auditEvents;
    const made = nodes.find(({ action }: { action: string }) => action === 'create');
    await service.graphql('mutation ($id: ID!) { restoreObject(input: { eventId: $id }) { __typename } }', made);
    expect((await service.rest('GET', path)).body.saml).toMatchObject({
      subject_attribute: '',
      idp_metadata: metadata,
    });
  });

  test('needs attention before its metadata ends', async () => {
    const validUntil = shifted(startTime, 86_400).replace(/\.\d+Z/, 'Z');
    await makeProvider({}, { idp_metadata: idpMetadata([key], ` validUntil="${validUntil}"`) });
    const { data } = await service.graphql('{ attention { code message subject { __typename } } }');
    expect(data.attention).toContainEqual({
      code: 'saml_metadata_expires',
      message: `The metadata of the identity provider ${idpEntityId} expires at ${validUntil}; then nobody can log in. This concerns the sign-in provider "Ours". Get its new metadata, and give it to the sign-in provider.`,
      subject: { __typename: 'SignInProvider' },
    });
  });
});

describe('metadata at an address', () => {
  const atAddress = { idp_metadata: undefined, idp_metadata_url: server.url };
  /** Runs a round of upkeep some seconds after the start. */
  const roundAfter = async (seconds: number) => {
    service.setTime(new Date(startTime.getTime() + seconds * 1_000));
    await service.storage.upkeep();
  };
  const readingOf = async (id: string) => {
    const query =
      'query ($id: ID!) { signInProvider(id: $id) { version saml { idpMetadata metadataReading { readAt nextAt failure } } } }';
    return dataOf(await service.graphql(query, { id })).signInProvider;
  };

  test('is read when it is set, and again; what cannot be used changes nothing, and needs attention', async () => {
    server.say(metadata);
    const id = await makeProvider({}, atAddress);
    expect((await new Visitor().signIn(id)).status).toBe(200);
    const longer = idpMetadata([key, makeIdpKey()]);
    server.say(longer);
    await roundAfter(3_600);
    const reading = { readAt: '2026-11-20T22:00:00Z', nextAt: '2026-11-20T23:00:00Z', failure: null };
    expect(await readingOf(id)).toEqual({ version: 2, saml: { idpMetadata: longer, metadataReading: reading } });
    const events = '{ auditEvents(kind: "SignInProvider", first: 1) { nodes { action actor { type } } } }';
    expect(dataOf(await service.graphql(events)).auditEvents.nodes).toEqual([
      { action: 'update', actor: { type: 'system' } },
    ]);
    server.say(metadata.replace(idpEntityId, 'https://other.example.com'));
    await roundAfter(7_200);
    await roundAfter(10_800);
    expect(await readingOf(id)).toEqual({
      version: 2,
      saml: {
        idpMetadata: longer,
        metadataReading: {
          ...reading,
          nextAt: '2026-11-21T00:05:00Z',
          failure: expect.stringContaining('another entity'),
        },
      },
    });
    const { attention } = dataOf(await service.graphql('{ attention { code message } }'));
    expect(attention).toContainEqual({
      code: 'saml_metadata_old',
      message: expect.stringContaining('Correct the address, or give the metadata to the sign-in provider.'),
    });
  });

  test('is that of the entity that is named, and is asked again only by a change that is about it', async () => {
    server.say(severalMetadata(metadata, [idpEntityId, 'https://other.example.com']));
    const wrong = { name: 'Ours', saml: { idp_metadata_url: server.url } };
    const { status, body } = await service.rest('POST', '/sign_in_providers', wrong);
    expect([status, body.details?.field]).toEqual([400, 'saml.idp_entity_id']);
    const id = await makeProvider({}, { ...atAddress, idp_entity_id: idpEntityId });
    const path = `/sign_in_providers/${id}`;
    const { nextAt } = (await readingOf(id)).saml.metadataReading;
    service.setTime(new Date(startTime.getTime() + 60_000));
    await service.rest('PATCH', path, { description: 'a', saml: { name_attribute: 'cn' } });
    expect((await readingOf(id)).saml.metadataReading).toMatchObject({ nextAt });
    await service.rest('PATCH', path, { saml: { idp_metadata_url: server.url } });
    expect((await readingOf(id)).saml.metadataReading).toMatchObject({ nextAt: '2026-11-20T21:01:00Z' });
    server.say('', 404);
    const gone = await service.rest('PATCH', path, { saml: { idp_metadata_url: `${server.url}/x` } });
    expect([gone.status, gone.body.msg]).toEqual([422, expect.stringMatching(/^saml.idp_metadata_url: .* status 404/)]);
    const none =
      'mutation ($id: ID!) { updateSignInProvider(input: { id: $id, saml: { idpMetadataUrl: "" } }) { signInProvider { saml { idpEntityId } } } }';
    const { signInProvider } = dataOf(await service.graphql(none, { id })).updateSignInProvider;
    expect([signInProvider.saml, (await readingOf(id)).saml.metadataReading]).toEqual([{ idpEntityId: '' }, null]);
  });

  test('is read at once when a signature is wrong, so that a new key lets people in, and a forger has it read once', async () => {
    const former = makeIdpKey();
    server.say(idpMetadata([former]));
    const id = await makeProvider({}, atAddress);
    server.say(metadata);
    const late = new Date(startTime.getTime() + 600_000);
    service.setTime(late);
    const asked = server.asked();
    const visitor = new Visitor();
    const { requestId } = await visitor.leave(id);
    const spoken = honest({ ...urlsOf(id), inResponseTo: requestId, now: late });
    expect((await visitor.bring(id, signedResponse(spoken, makeIdpKey()))).status).toBe(403);
    expect((await visitor.bring(id, signedResponse(spoken, former))).status).toBe(403);
    expect((await visitor.bring(id, signedResponse(spoken, key))).status).toBe(200);
    expect(server.asked()).toBe(asked + 1);
  });
});

describe('the way in', () => {
  test('is not taken away by a key while another provider keeps keys out', async () => {
    const { body: role } = await service.rest('POST', '/roles', { name: 'admins', scopes: ['people:write'] });
    const useful = await makeProvider({ role_mappings: [{ group: 'admins', role: 'admins' }] });
    const made = await service.rest(
      'POST',
      '/sign_in_providers',
      { name: 'Keyless', role_mappings: [], refuses_keys: true, saml: { idp_metadata: metadata } },
      { 'Sallyport-Force': 'true' },
    );
    expect(made.status).toBe(201);
    const provider = `/sign_in_providers/${useful}`;
    for (const [method, path, body] of [
      ['PATCH', provider, { enabled: false }],
      ['PATCH', provider, { role_mappings: [{ group: 'staff', role: 'viewer' }] }],
      ['DELETE', provider, undefined],
      ['PATCH', `/roles/${role.id}`, { scopes: ['read'] }],
    ] as const) {
      const { status, body: said } = await service.rest(method, path, body);
      expect([status, said.error_code, said.msg]).toEqual([
        409,
        'LOCKOUT',
        expect.stringContaining('"Keyless" keeps API keys out'),
      ]);
    }
    await service.rest('PATCH', `/sign_in_providers/${made.body.id}`, { refuses_keys: false });
    expect((await service.rest('DELETE', provider)).status).toBe(204);
  });

  test('is not taken away from the last who can give it back, where keys are kept out', async () => {
    const id = await makeProvider({ role_mappings: [{ group: 'staff', role: 'owner' }] });
    const signIn = async (name: string) => {
      await new Visitor().signIn(id, ({ subject }) => ({ subject: subject.replace('>amy<', `>${name}<`) }));
      const { nodes } = dataOf(await service.graphql('{ people(first: 1) { nodes { id } } }')).people;
      return nodes[0].id;
    };
    const block = (person: string, headers = {}) => service.rest('PUT', `/people/${person}/block`, {}, headers);
    const force = { 'Sallyport-Force': 'true' };
    await service.rest('PATCH', `/sign_in_providers/${id}`, { refuses_keys: true }, force);
    const [amy, bob] = [await signIn('amy'), await signIn('bob')];
    const answers = await Promise.all([block(amy), block(bob)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect([refused?.body.error_code, refused?.body.msg]).toEqual([
      'LOCKOUT',
      expect.stringContaining(
        '"Ours" keeps API keys out, and nobody else has a role with "people:write". Let keys in there first',
      ),
    ]);
    const last = refused === answers[0] ? amy : bob;
    expect((await block(last, force)).status).toBe(200);
  });

  test('has twenty places, of which two requests do not get the same', async () => {
    const settings = { enabled: false, saml: { idp_metadata: metadata } };
    const made = await Promise.all(
      Array.from({ length: 24 }, (_, n) => service.rest('POST', '/sign_in_providers', { name: `P${n}`, ...settings })),
    );
    expect(made.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(made.find(({ status }) => status !== 201)?.body).toMatchObject({
      msg: expect.stringContaining('The account has 20 sign-in providers, the maximum. Delete one first.'),
    });
  });
});
