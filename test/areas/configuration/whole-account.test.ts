// An account of every kind, exported, wiped and applied, is what it was.

import Ajv2020 from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { writeDocumentSchema } from '../../../src/areas/configuration/document-public.ts';
import { configuredKinds } from '../../../src/areas/configuration/kinds-schema.ts';
import { schema } from '../../../src/graphql/schema.ts';
import { createWorld } from '../../http/world.ts';
import { startService } from '../../support/service.ts';
import { apply, applyRefusalOf, exported, plan } from './documents.ts';

const service = await startService();
const documentSchema = JSON.parse(writeDocumentSchema(schema));

test('every kind is exported, and applied to an empty account is equal', async () => {
  const client = await service.asNewAccount();
  await createWorld(client);
  const first = await exported(client);
  expect(await exported(client)).toEqual(first);
  // Every kind is in it.
  const kinds = configuredKinds(schema);
  const found = (await plan(client, first.document, { adopt: true })).changes;
  expect(new Set(found.map((change: { kind: string }) => change.kind))).toEqual(new Set(kinds.map(({ kind }) => kind)));
  expect(new Set(found.map((change: { action: string }) => change.action))).toEqual(new Set(['adopt']));
  // Editors find nothing wrong with it, besides what is missing.
  const isComplete = new Ajv2020.default({ strict: false, allErrors: true, logger: false }).compile(documentSchema);
  isComplete({ $schema: 'https://sallyport.example.com/schema.json', ...first.document });
  expect((isComplete.errors ?? []).map(({ instancePath }) => instancePath)).toEqual([]);
  // No secret is in it; the comments say where one is missing.
  expect(JSON.stringify(first)).not.toContain('a secret"');
  const [edge] = Object.keys(first.document.httpsEdges);
  const path = `httpsEdges.${edge}.routes.path_prefix-2.oidc.clientSecret`;
  expect(first.missing).toContainEqual({ path, why: 'is a secret, which is never shown' });
  const whole = structuredClone(first.document);
  whole.httpsEdges[edge ?? ''].routes['path_prefix-2'].oidc.clientSecret = 'a secret';

  const target = await service.asNewAccount();
  await apply(target, whole, { force: true });
  const second = await exported(target);
  expect(second.document).toEqual(first.document);
  expect((await plan(target, whole)).changes).toEqual([]);

  // Wiped by the document that has taken it over, and applied again.
  await apply(client, whole, { adopt: true, force: true });
  // An authority with certificates stays, and everything with it.
  const withHost = { sshCertificateAuthorities: whole.sshCertificateAuthorities };
  expect(await applyRefusalOf(client, {}, { prune: true, force: true })).toMatchObject({ code: 'PLAN_OUTDATED' });
  service.failures.length = 0;
  expect((await exported(client)).document).toEqual(first.document);
  await apply(client, withHost, { prune: true, force: true });
  expect((await exported(client)).document).toEqual(withHost);
  await apply(client, whole, { force: true });
  expect((await exported(client)).document).toEqual(first.document);
});
