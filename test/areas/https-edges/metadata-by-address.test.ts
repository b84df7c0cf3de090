// The metadata of identity providers at addresses: a real https server that changes its keys, and does not mean well.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parseRange } from '../../../src/domain/ip/cidr.ts';
import { createOutgoing } from '../../../src/outgoing/outgoing.ts';
import { idpEntityId, idpMetadata, makeIdpKey, shifted } from '../../support/identity-provider.ts';
import { serveMetadata, severalMetadata } from '../../support/metadata-server.ts';
import { type Client, startService, startTime, type TestService } from '../../support/service.ts';

const server = await serveMetadata();
const { url, say } = server;
afterAll(() => server.close());

const [key, nextKey, otherKey] = [makeIdpKey(), makeIdpKey(), makeIdpKey()];
let shared: TestService;
let service: TestService;
let edge: string;
let id: string;
let askedBefore: number;
const asked = () => server.asked() - askedBefore;
beforeAll(async () => {
  const outgoing = createOutgoing({ outgoingNetworks: [parseRange('networks', '127.0.0.0/8')], outgoingDns: [] });
  shared = await startService({ outgoing });
});
beforeEach(async () => {
  service = await shared.asNewAccount();
  service.setTime(startTime);
  edge = (await service.rest('POST', '/edges/https', {})).body.id;
  id = (await service.rest('POST', `/edges/https/${edge}/routes`, { match_type: 'path_prefix', match: '/' })).body.id;
  askedBefore = server.asked();
  say(idpMetadata([key]));
});

const put = (body: object) => service.rest('PUT', `/edges/https/${edge}/routes/${id}/saml`, body);
async function set(body: object = { idp_metadata_url: url }) {
  const { status, body: module } = await put(body);
  expect(status).toBe(200);
  return module;
}
/** Runs a round of upkeep some seconds after the start. */
async function roundAfter(seconds: number) {
  service.setTime(new Date(startTime.getTime() + seconds * 1_000));
  await service.storage.upkeep();
}
async function reading() {
  const query = `query ($id: ID!) { node(id: $id) { ... on HttpsEdgeRoute { version saml { idpMetadata
    metadataReading { readAt nextAt failure failedSince } } } } }`;
  const { version, saml } = (await service.graphql(query, { id })).data.node;
  return { version, ...saml };
}
const attention = async () => {
  const { data } = await service.graphql('{ attention(first: 10) { code message } }');
  return data.attention.filter(({ code }: { code: string }) => code.startsWith('saml_metadata'));
};

test('metadata at an address is in force as soon as the module is set, and a round of upkeep takes what has changed', async () => {
  expect(await set()).toMatchObject({ idp_metadata: idpMetadata([key]), idp_metadata_url: url, idp_entity_id: '' });
  expect(await reading()).toMatchObject({
    version: 2,
    metadataReading: {
      readAt: '2026-11-20T21:00:00Z',
      nextAt: '2026-11-20T22:00:00Z',
      failure: null,
      failedSince: null,
    },
  });
  await roundAfter(3_599);
  expect(asked()).toBe(1);
  await roundAfter(3_600);
  expect(await reading()).toMatchObject({ version: 2, metadataReading: { readAt: '2026-11-20T22:00:00Z' } });
  const both = idpMetadata([key, nextKey], ' cacheDuration="PT20M"');
  say(both);
  await roundAfter(7_200);
  expect(await reading()).toEqual({
    version: 3,
    idpMetadata: both,
    metadataReading: {
      readAt: '2026-11-20T23:00:00Z',
      nextAt: '2026-11-20T23:15:00Z',
      failure: null,
      failedSince: null,
    },
  });
  const query = '{ auditEvents(kind: "HttpsEdgeRoute", first: 1) { nodes { action actor { type } } } }';
  expect((await service.graphql(query)).data.auditEvents.nodes).toEqual([
    { action: 'update', actor: { type: 'system' } },
  ]);
  expect(await attention()).toEqual([]);
  say(idpMetadata([otherKey]));
  await roundAfter(9_000);
  expect(await attention()).toEqual([
    {
      code: 'saml_metadata_keys_changed',
      message: expect.stringContaining(`at ${url} has had none of its former signing keys since 2026-11-20T23:30:00Z.`),
    },
  ]);
});

test.each<[what: string, answered: () => void, why: string]>([
  ['is gone', () => say('', 404), 'answers with status 404 instead of 200.'],
  ['is no XML', () => say('<html>'), 'The metadata cannot be used: it must be well-formed XML.'],
  ['has no key', () => say(idpMetadata([])), 'The metadata has no signing certificate whose key can be used.'],
  [
    'is over',
    () => say(idpMetadata([nextKey], ` validUntil="${shifted(startTime, -1)}"`)),
    'The metadata expired at 2026-11-20T20:59:59Z.',
  ],
  ['is too long', () => say(' '.repeat(300_000)), 'answers with more than 262144 bytes'],
  ['leads to http', () => say('', 302, { location: url.replace('https', 'http') }), 'redirects'],
  [
    'breaks off',
    () => {
      server.answerBy((request) => request.socket.destroy());
    },
    '127.0.0.1',
  ],
])('metadata that %s sets no module, and replaces none', async (_what, answered, why) => {
  answered();
  const refused = await put({ idp_metadata_url: url });
  expect(refused.status).toBe(refused.body.error_code === 'OUTGOING_REFUSED' ? 400 : 422);
  expect(refused.body.msg).toContain(why);
  expect(refused.body.msg).toMatch(
    /^idp_metadata_url: .* Correct the address, or give the document itself as well, beside its address\.$/s,
  );
  expect((await service.rest('GET', `/edges/https/${edge}/routes/${id}/saml`)).status).toBe(404);
  const idp_metadata = idpMetadata([key]);
  await set({ idp_metadata, idp_metadata_url: url });
  expect(await reading()).toMatchObject({ metadataReading: { readAt: null, nextAt: '2026-11-20T22:00:00Z' } });
  await roundAfter(3_600);
  await roundAfter(7_200);
  expect(await reading()).toEqual({
    version: 2,
    idpMetadata: idp_metadata,
    metadataReading: {
      readAt: null,
      nextAt: '2026-11-20T23:05:00Z',
      failure: expect.stringContaining(why),
      failedSince: '2026-11-20T22:00:00Z',
    },
  });
  expect(await attention()).toEqual([{ code: 'saml_metadata_old', message: expect.stringContaining(why) }]);
});

test('a server that says nothing holds up no other account, and changes nothing once it is given up', async () => {
  const makeModule = async (client: Client, at: string) => {
    const edgeId = (await client.rest('POST', '/edges/https', {})).body.id;
    const routes = `/edges/https/${edgeId}/routes`;
    const route = (await client.rest('POST', routes, { match_type: 'path_prefix', match: '/' })).body.id;
    const module = { idp_metadata: idpMetadata([key]), idp_metadata_url: at };
    expect((await client.rest('PUT', `${routes}/${route}/saml`, module)).status).toBe(200);
    return async () => {
      const query = `query ($id: ID!) { node(id: $id) { ... on HttpsEdgeRoute { saml { metadataReading { readAt failure } } } } }`;
      return (await client.graphql(query, { id: route })).data.node.saml.metadataReading;
    };
  };
  const [silent, other] = [
    await makeModule(service, `${url}/silent`),
    await makeModule(await shared.asNewAccount(), url),
  ];
  const kept: { destroy(): void }[] = [];
  server.answerBy(({ url: path, socket }, reply) => {
    if (path === '/metadata') reply.end(idpMetadata([key]));
    else kept.push(socket);
  });
  const round = roundAfter(3_600);
  await expect.poll(other).toEqual({ readAt: '2026-11-20T22:00:00Z', failure: null });
  await expect.poll(() => kept).toHaveLength(1);
  kept[0]?.destroy();
  await round;
  expect(await silent()).toEqual({ readAt: null, failure: expect.stringContaining('broke the connection off') });
});

test('metadata of another entity replaces none', async () => {
  await set();
  say(idpMetadata([key]).replace(idpEntityId, 'https://other.example'));
  await roundAfter(3_600);
  expect(await reading()).toMatchObject({
    version: 2,
    idpMetadata: idpMetadata([key]),
    metadataReading: {
      failure: `The metadata is of another entity, "https://other.example" instead of "${idpEntityId}". Set the address again if that is right.`,
    },
  });
});

test('of several entities one is chosen, and their common end counts', async () => {
  const end = ` validUntil="${shifted(startTime, 4_000)}"`;
  say(severalMetadata(idpMetadata([key]), ['https://one.example', 'https://two.example'], end));
  const ambiguous = await put({ idp_metadata_url: url });
  expect([ambiguous.status, ambiguous.body.msg]).toEqual([
    400,
    'idp_entity_id: must be given: the metadata at the address has 2 identity providers: "https://one.example", "https://two.example". Name one of them.',
  ]);
  const absent = await put({ idp_metadata_url: url, idp_entity_id: 'https://three.example' });
  expect(absent.body.msg).toContain('names "https://three.example", which is not there: the metadata');
  const { idp_metadata } = await set({ idp_metadata_url: url, idp_entity_id: 'https://two.example' });
  expect(idp_metadata).toMatch(/^<EntityDescriptor .*entityID="https:\/\/two\.example"/);
  expect(await reading()).toMatchObject({
    metadataReading: { nextAt: expect.stringMatching(/^2026-11-20T21:(49:59|50:00)Z$/) },
  });
});

test('an address that is stored keeps what was read, and has it read again; without one, nothing is read any more', async () => {
  const { idp_metadata, idp_metadata_url, idp_entity_id } = await set();
  const given = { idp_metadata, idp_metadata_url, idp_entity_id };
  say('gone', 404);
  expect(await set({ idp_metadata_url: url, force_authn: true })).toMatchObject({ idp_metadata: idpMetadata([key]) });
  expect(asked()).toBe(1);
  await roundAfter(0);
  expect(asked()).toBe(2);
  // As clients of this API family do, which put back what they got.
  expect(await set(given)).toMatchObject(given);
  await set({ idp_metadata: idpMetadata([key]) });
  expect(await reading()).toMatchObject({ metadataReading: null });
});

test.each([
  [{ idp_metadata_url: 'http://idp.example.com/' }, 'idp_metadata_url: must begin with https://'],
  [{ idp_metadata_url: 'https://amy:secret@idp.example.com/' }, 'idp_metadata_url: must have no user name or password'],
  [{ idp_metadata: idpMetadata([key]), idp_entity_id: 'a' }, 'idp_entity_id: must be left out or empty without'],
  [{ idp_metadata_url: 'https://169.254.169.254/' }, 'idp_metadata_url: '],
])('refuses %j', async (body, message) => {
  const { status, body: problem } = await put(body);
  expect([Math.floor(status / 100), problem.msg]).toEqual([4, expect.stringContaining(message)]);
});
