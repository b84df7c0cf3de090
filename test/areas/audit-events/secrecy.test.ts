// The trail contains no secret in any encoding.

import { expect, test } from 'vitest';
import { readTextList } from '../../../src/domain/values/decode.ts';
import type { PrismaClient } from '../../../src/storage/generated/client/client.ts';
import { createSecrets, ownerOf } from '../../../src/storage/keys/secrets.ts';
import { creations, fillPath, type IdOf, sampleBody } from '../../http/world.ts';
import { openClient } from '../../support/database.ts';
import { idpMetadata, wellKnownIdpKey } from '../../support/identity-provider.ts';
import { models } from '../../support/model-rows.ts';
import { printedForms } from '../../support/printed-forms.ts';
import { repeatableBytes, startService } from '../../support/service.ts';
import { rowsOf } from './trail.ts';

/** Returns every secret in a database with the place it is from: sealed, opened, and as a hash. */
async function secretsOf(client: PrismaClient): Promise<(readonly [string, Buffer])[]> {
  const { open } = createSecrets(repeatableBytes('secret key')(32), repeatableBytes('nonces'));
  const secrets: (readonly [string, Buffer])[] = [];
  for (const { name, columns, key } of models) {
    // Packed ranges, which are no secret.
    if (name === 'IpPolicySourceList') continue;
    for (const row of await rowsOf(client, name)) {
      for (const column of columns) {
        const value = row[column.name];
        const place = `${name}.${column.name}`;
        if (value instanceof Uint8Array) {
          secrets.push([place, Buffer.from(value)]);
          const opened = open(value, ownerOf(name, String(row[key[0] ?? ''])));
          // Several keys are sealed as a list.
          const keys = column.name.endsWith('Keys') ? readTextList(JSON.parse(opened.toString())) : null;
          secrets.push(
            ...(keys?.map((each) => Buffer.from(each, 'base64')) ?? [opened]).map((each) => [place, each] as const),
          );
        } else if (column.name.endsWith('Hash') && typeof value === 'string') {
          secrets.push([place, Buffer.from(value, 'hex')]);
        }
      }
    }
  }
  return secrets;
}

/** Returns how a secret looks in text. Only the end of a private key is secret: its start names the key type. */
const formsOf = (secret: Buffer) => printedForms(secret.subarray(-20));

test('no token, hash or private key is in any event', async () => {
  const service = await startService();
  const client = await openClient(service.database);
  const ids = new Map<string, string>();
  const id: IdOf = (collection) => ids.get(collection) ?? '';
  const tokens = [service.token];
  const secrets: (readonly [string, Buffer])[] = [];
  for (const route of creations) {
    const { body } = await service.rest(route.method, fillPath(route.path, id), sampleBody(route, id));
    if (route.method === 'POST') ids.set(route.path, body.id);
    if (body.token !== undefined) tokens.push(body.token);
  }
  // The sample signs in by OpenID Connect.
  const bySaml = { name: 'SAML', enabled: false, saml: { idp_metadata: idpMetadata([wellKnownIdpKey()]) } };
  expect((await service.rest('POST', '/sign_in_providers', bySaml)).status).toBe(201);
  secrets.push(...(await secretsOf(client)));
  expect(new Set(secrets.map(([place]) => place))).toEqual(
    new Set([
      'ApiKey.tokenHash',
      'SamlModule.sealedDecryptionKeys',
      'SamlModule.sealedNextKey',
      'SamlModule.sealedPrivateKey',
      'SignInProvider.sealedClientSecret',
      'SignInProvider.sealedDecryptionKeys',
      'SignInProvider.sealedPrivateKey',
      'SshCertificateAuthority.sealedPrivateKey',
      'SshEnrollmentToken.tokenHash',
      'Webhook.sealedFormerSecret',
      'Webhook.sealedSecret',
    ]),
  );
  expect(tokens.length).toBe(3);
  for (const { method, path } of creations.toReversed()) {
    await service.rest('DELETE', fillPath(method === 'PUT' ? path : `${path}/{id}`, id));
  }
  const events = await client.auditEvent.findMany();
  expect(events.filter(({ action }) => action === 'delete').length).toBeGreaterThan(8);
  const text =
    JSON.stringify(events, (_name, value) => (typeof value === 'bigint' ? String(value) : value)) +
    JSON.stringify((await service.rest('GET', '/audit_events')).body);
  // Proves that the search would find a secret.
  expect(text).toContain('dashboard');
  expect(text).not.toContain('a secret of the client');
  for (const token of tokens) expect(text).not.toContain(token.replace(/^.*_/, ''));
  for (const [place, secret] of secrets) {
    expect([place, formsOf(secret).filter((form) => text.includes(form))]).toEqual([place, []]);
  }
  expect(service.failures).toEqual([]);
  await service.close();
});
