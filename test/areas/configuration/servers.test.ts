// What a document needs of servers of others: nobody is asked for a plan, and everybody before anything is changed.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createAsking } from '../../../src/areas/configuration/asking-schema.ts';
import { parseRange } from '../../../src/domain/ip/cidr.ts';
import { createOutgoing } from '../../../src/outgoing/outgoing.ts';
import { idpMetadata, makeIdpKey } from '../../support/identity-provider.ts';
import { serveMetadata } from '../../support/metadata-server.ts';
import { clientId, clientSecret, type OpenIdProvider, startOpenIdProvider } from '../../support/openid-provider.ts';
import { startService, startTime, type TestService } from '../../support/service.ts';
import { apply, applyRefusalOf, exported, imported, plan } from './documents.ts';

const server = await serveMetadata();
const { url } = server;
const metadata = idpMetadata([makeIdpKey()]);
let openId: OpenIdProvider;
let shared: TestService;
let service: TestService;
let askedBefore: number;
const asked = () => server.asked() - askedBefore + openId.asked.length;
beforeAll(async () => {
  openId = await startOpenIdProvider(() => startTime);
  const outgoing = createOutgoing({ outgoingNetworks: [parseRange('networks', '127.0.0.0/8')], outgoingDns: [] });
  shared = await startService({ outgoing });
});
afterAll(async () => {
  server.close();
  await openId.close();
});
beforeEach(async () => {
  service = await shared.asNewAccount();
  server.say(metadata);
  askedBefore = server.asked();
  openId.asked.length = 0;
});

const withModule = (saml: object) => {
  const routes = { path_prefix: { matchType: 'path_prefix', match: '/', saml } };
  return { httpsEdges: { 'wiki.example.com-443': { hostports: ['wiki.example.com:443'], routes } } };
};

test('metadata of which a document has the URL is read when it is applied, and then stays', async () => {
  const document = withModule({ idpMetadataUrl: url });
  const planned = await plan(service, document);
  expect([planned.asks, asked()]).toEqual([[url], 0]);
  const { plan: applied } = await apply(service, document, { digest: planned.digest });
  expect(applied.changes).toEqual(planned.changes);
  expect(asked()).toBe(1);
  expect(await plan(service, document)).toMatchObject({ changes: [], asks: [] });
  const { document: whole } = await exported(service);
  expect(whole).toEqual(withModule({ idpMetadata: metadata, idpMetadataUrl: url }));
  expect((await plan(service, whole)).changes).toEqual([]);
  // What is set beside it needs no second reading.
  await apply(service, withModule({ idpMetadataUrl: url, forceAuthn: true }));
  expect(asked()).toBe(1);
});

test('an address that cannot be read changes nothing, and is named with its place', async () => {
  const document = { ipPolicies: { office: {} }, ...withModule({ idpMetadataUrl: url }) };
  const field = 'httpsEdges.wiki.example.com-443.routes.path_prefix.saml.idpMetadataUrl';
  server.say('', 404);
  expect(await applyRefusalOf(service, document)).toEqual({
    code: 'OUTGOING_FAILED',
    field,
    message: expect.stringMatching(
      /answers with status 404 instead of 200\. Correct the address, or give the document itself as well, beside its address\.$/,
    ),
  });
  const elsewhere = withModule({ idpMetadataUrl: 'https://10.1.2.3/metadata' });
  expect((await plan(service, elsewhere)).asks).toEqual(['https://10.1.2.3/metadata']);
  expect(await applyRefusalOf(service, elsewhere)).toMatchObject({ code: 'OUTGOING_REFUSED', field });
  expect((await exported(service)).document).toEqual({});
});

test('a document asks only so many', async () => {
  const none = () => Promise.reject(new Error('Nobody is asked.'));
  const outgoing = { fetch: none, fetchForPerson: none, lookUp: none, post: none, mailer: null };
  const asking = createAsking({ outgoing, examineProvider: none });
  const ask = (index: number) => asking.outgoing.fetchForPerson('a', `${url}/${index}`, { bytesMax: 1 });
  const errors = await Promise.all(Array.from({ length: 101 }, (_, index) => ask(index).catch((error) => error.code)));
  expect([errors[99], errors[100], asking.addresses().length]).toEqual([undefined, 'QUERY_TOO_COMPLEX', 100]);
  // Nor is what is asked twice one more.
  await expect(ask(0)).rejects.not.toHaveProperty('code');
});

test('sign-in providers of both protocols are described with their roles, asked before they are stored, and never replaced unseen', async () => {
  const roles = { network: { name: 'network', scopes: ['ip-policies:write'] } };
  const roleMappings = [
    { group: 'net-admins', role: 'network' },
    { everybody: true, role: 'viewer' },
  ];
  const team = { name: 'Team', issuer: openId.issuer, clientId, roleMappings };
  const partners = { name: 'Partners', saml: { idpMetadataUrl: url, groupsAttribute: 'memberOf' } };
  const withSecret = (secret: string, more: object = {}) => ({
    signInProviders: { team: { ...team, clientSecret: secret }, partners: { ...partners, ...more } },
    roles,
  });
  const document = withSecret(clientSecret);
  const planned = await plan(service, document);
  expect([planned.asks.sort(), asked()]).toEqual([[openId.issuer, url].sort(), 0]);
  await apply(service, document, { digest: planned.digest });
  expect([server.asked() - askedBefore, openId.asked.length]).toEqual([1, 1]);
  expect(await plan(service, document)).toMatchObject({ changes: [], asks: [] });
  const { document: whole, missing } = await exported(service);
  expect(whole).toEqual({
    roles,
    signInProviders: {
      partners: { ...partners, saml: { ...partners.saml, idpMetadata: metadata } },
      team,
    },
  });
  expect(missing).toEqual([{ path: 'signInProviders.team.clientSecret', why: 'is a secret, which is never shown' }]);
  // What is not said again is as it would be without it, inside of settings, too.
  const { plan: changed } = await apply(service, withSecret('another', { saml: { idpMetadataUrl: url } }));
  expect(
    changed.changes.map(({ name, fields }: { name: string; fields: { field: string }[] }) => [
      name,
      ...fields.map(({ field }) => field),
    ]),
  ).toEqual([
    ['team', 'clientSecret'],
    ['partners', 'saml'],
  ]);
  openId.lie({ metadata: { issuer: 'https://other.example.com' } });
  expect(await applyRefusalOf(service, withSecret('a third one'))).toMatchObject({
    code: 'INVALID_INPUT',
    field: 'signInProviders.team.issuer',
  });
  openId.lie({});
  // An account that has them already gets a document of its own, and nothing differs.
  await apply(service, { document: 'main', ...whole }, { prune: true });
  expect((await imported(service, whole)).objects).toEqual([]);
});
