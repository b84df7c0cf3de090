// An account of every kind, exported, wiped and applied, is what it was.

import Ajv2020 from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { writeDocumentSchema } from '../../../src/areas/configuration/document-public.ts';
import { configuredKinds } from '../../../src/areas/configuration/kinds-schema.ts';
import { whyNotConfigured } from '../../../src/areas/configuration/rules.ts';
import { isKind, kinds } from '../../../src/domain/values/ids.ts';
import { schema } from '../../../src/graphql/schema.ts';
import { createWorld } from '../../http/world.ts';
import { startService } from '../../support/service.ts';
import { apply, applyRefusalOf, exported, imported, plan } from './documents.ts';

const service = await startService();
const documentSchema = JSON.parse(writeDocumentSchema(schema));

test('every kind of object that somebody makes or sets is described, or its area says why it cannot be', () => {
  const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {});
  const described = new Set(
    configuredKinds(schema).flatMap(({ kind, modules }) => [kind, ...modules.map(({ listedKind }) => listedKind)]),
  );
  const silent = Object.keys(kinds)
    .filter(isKind)
    .filter((kind) => mutations.includes(`create${kind}`) || mutations.includes(`update${kind}`))
    .filter((kind) => !described.has(kind) && whyNotConfigured(kind) === null);
  expect(silent).toEqual([]);
});

test('what an authority has, and no document, is told in the export', async () => {
  const client = await service.asNewAccount();
  const { body: authority } = await client.rest('POST', '/ssh_certificate_authorities', { description: 'old' });
  const announce = `mutation { announceSshCertificateAuthoritySuccessor(input: { id: "${authority.id}" }) { sshCertificateAuthority { id } } }`;
  expect((await client.graphql(announce)).errors).toBeUndefined();
  const { missing } = await exported(client);
  expect(missing.map(({ path }: { path: string }) => path)).toContain('sshCertificateAuthorities.old.successorId');
  const authorities = configuredKinds(schema).find(({ kind }) => kind === 'SshCertificateAuthority');
  expect(authorities?.untold.map(({ name }) => name).sort()).toEqual(['signingAgent', 'successorId']);
});

test('every kind is exported, and applied to an empty account is equal', async () => {
  const client = await service.asNewAccount();
  await createWorld(client);
  const first = await exported(client);
  expect(await exported(client)).toEqual(first);
  // Every kind is in it.
  const { objects: found, plan: left } = await imported(client, first.document);
  const named = configuredKinds(schema).filter(({ isSingle }) => !isSingle);
  // The policy was given to the document before.
  const kindsFound = new Set(['IpPolicy', ...found.map(({ kind }: { kind: string }) => kind)]);
  expect(kindsFound).toEqual(new Set(named.map(({ kind }) => kind)));
  // Nothing else of them is changed, or differs.
  expect(left.changes).toEqual([]);
  expect((await exported(client)).document).toEqual(first.document);
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

  // Wiped by the document that it was given to, and applied again.
  await apply(client, whole, { force: true });
  // An authority with certificates stays, and everything with it.
  const withHost = { sshCertificateAuthorities: whole.sshCertificateAuthorities };
  expect(await applyRefusalOf(client, {}, { prune: true, force: true })).toMatchObject({ code: 'PLAN_OUTDATED' });
  // What is refused with its code is no failure of the server.
  expect(service.failures).toEqual([]);
  expect((await exported(client)).document).toEqual(first.document);
  await apply(client, withHost, { prune: true, force: true });
  expect((await exported(client)).document).toEqual(withHost);
  await apply(client, whole, { force: true });
  expect((await exported(client)).document).toEqual(first.document);
});
