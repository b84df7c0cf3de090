// What documents name of other objects besides by the fields that say their kind: webhooks, and logins that are shared.

import { expect, test } from 'vitest';
import { placeholderOf } from '../../../src/areas/configuration/entries-schema.ts';
import { commandLine } from '../../../src/storage/trail/origin.ts';
import { dataOf } from '../../support/answers.ts';
import { accountOf, startService } from '../../support/service.ts';
import { apply, exported, plan } from './documents.ts';

const service = await startService();

test('a webhook is told of objects of the document, and begins where the account is', async () => {
  const client = await service.asNewAccount();
  const office = placeholderOf('ipPolicies', 'office');
  const document = {
    webhooks: { chat: { url: 'https://chat.example.com/hook', events: ['*'], objectIds: [office] } },
    ipPolicies: { office: { description: 'office' } },
  };
  const { shownOnce } = await apply(client, document);
  expect(shownOnce).toEqual([
    { kind: 'Webhook', name: 'chat', field: 'secret', value: expect.stringMatching(/^whsec_/) },
  ]);
  const { ipPolicies, webhooks } = dataOf(
    await client.graphql('{ ipPolicies { nodes { id } } webhooks { nodes { id objectIds events } } }'),
  );
  expect(webhooks.nodes).toMatchObject([{ objectIds: [ipPolicies.nodes[0].id], events: ['*'] }]);
  expect((await exported(client)).document).toEqual(document);
  expect((await plan(client, document)).changes).toEqual([]);
  const { db } = service.storage.actingFor(await accountOf(client), commandLine);
  const lanes = async () => (await db.webhookLane.findMany()).map(({ commitOrder }) => commitOrder);
  const [first] = await lanes();
  const off = { ...document, webhooks: { chat: { ...document.webhooks.chat, enabled: false } } };
  await apply(client, off);
  await apply(client, document);
  const [then] = await lanes();
  expect(then).toBeGreaterThan(first ?? Number.NaN);
});

test('a plan has the names of new objects in free JSON, too, and is the same each time, so that it can be agreed to', async () => {
  const client = await service.asNewAccount();
  const config = { ip_policies: [placeholderOf('ipPolicies', 'office')] };
  const document = {
    ipPolicies: { office: {} },
    tlsEdges: {
      mail: {
        hostports: ['mail.example.com:443'],
        policy: { inbound: [{ actions: [{ type: 'restrict-ips', config }] }] },
      },
    },
  };
  const { changes, digest } = await plan(client, document);
  expect(JSON.stringify(changes)).toContain('{"ip_policies":["office"]}');
  expect((await apply(client, document, { digest })).plan).toMatchObject({ changes, digest });
});

test('a login names the route whose registration it uses', async () => {
  const client = await service.asNewAccount();
  const own = { issuer: 'https://idp.example.com', clientId: 'sallyport', clientSecret: 'a secret' };
  const document = {
    httpsEdges: {
      intranet: {
        hostports: ['wiki.example.com:443'],
        routes: {
          api: { matchType: 'path_prefix', match: '/api', oidc: { loginRouteId: 'intranet/pages' } },
          pages: { matchType: 'path_prefix', match: '/', oidc: own },
        },
      },
    },
  };
  await apply(client, document);
  const { routes } = (await exported(client)).document.httpsEdges.intranet;
  expect(routes.api.oidc).toEqual({ loginRouteId: 'intranet/pages' });
  expect((await plan(client, document)).changes).toEqual([]);
});
