// Private keys never leak: whatever goes wrong, no database, answer or log shows any part of one.

import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import querystring from 'node:querystring';
import sshpk from 'sshpk';
import { describe, expect, test } from 'vitest';
import { createSecrets, ownerOf } from '../../../src/storage/keys/secrets.ts';
import { apiKey, endOf, readyServer, start } from '../../process/support.ts';
import { contentsOf, openClient, testDatabase } from '../../support/database.ts';
import { printedForms } from '../../support/printed-forms.ts';
import { createClient } from '../../support/service.ts';
import { authorityKinds, hostKeys } from '../../support/ssh.ts';

/** How many bytes of a secret's start and of its end are searched for, to find truncated output. */
const windowBytes = 24;

/** Returns the numbers of a private key that must stay secret, as bytes. */
function secretNumbers(key: KeyObject): Buffer[] {
  const { d, p, q, dp, dq, qi } = key.export({ format: 'jwk' });
  return [d, p, q, dp, dq, qi].flatMap((number) =>
    typeof number === 'string' ? [Buffer.from(number, 'base64url')] : [],
  );
}

/** Returns the forms of a secret's start and end, and of the whole as a decimal number. */
function formsOfSecret(secret: Buffer): string[] {
  const windows = [secret.subarray(0, windowBytes), secret.subarray(-windowBytes)];
  return [...windows.flatMap(printedForms), BigInt(`0x${secret.toString('hex')}`).toString()];
}

/** All forms of each secret, by name. */
type Secrets = ReadonlyMap<string, readonly string[]>;

/** Returns the names of the secrets of which the content shows any part, even across line breaks. */
function shown(content: Buffer | string, secrets: Secrets): string[] {
  const text = typeof content === 'string' ? Buffer.from(content).toString('latin1') : content.toString('latin1');
  const joined = text.replace(/(?:\\[rn]|[\r\n])+/g, '');
  return [...secrets].flatMap(([name, forms]) =>
    forms.some((form) => text.includes(form) || joined.includes(form)) ? [name] : [],
  );
}

const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const opensshForm = (key: KeyObject) => sshpk.parsePrivateKey(pem(key), 'pem').toString('openssh');

describe('the search', () => {
  const kinds: [string, KeyObject][] = [
    ['ed25519', generateKeyPairSync('ed25519').privateKey],
    ['ecdsa', generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey],
    ['rsa', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey],
  ];
  test.each(kinds)('finds a key of %s in every form', (_, key) => {
    const der = key.export({ type: 'pkcs8', format: 'der' });
    const secrets = new Map([['it', secretNumbers(key).flatMap(formsOfSecret)]]);
    const forms = [
      der,
      pem(key),
      opensshForm(key),
      JSON.stringify({ msg: pem(key) }),
      JSON.stringify(key.export({ format: 'jwk' })),
      JSON.stringify(der),
      der.toString('hex'),
      der.toString('base64url'),
      Buffer.concat([randomBytes(1), der]).toString('base64'),
      Buffer.concat([randomBytes(2), der]).toString('base64'),
    ];
    expect(forms.map((form) => shown(form, secrets))).toEqual(forms.map(() => ['it']));
    expect(shown(pem(generateKeyPairSync('ed25519').privateKey), secrets)).toEqual([]);
  });
});

test('no private key leaves the server, nor gets into its files', async () => {
  const database = await testDatabase();
  const secretKey = randomBytes(32);
  const environment = {
    BOOTSTRAP_API_KEY: apiKey,
    SECRET_KEY: secretKey.toString('base64'),
    LOG_LEVEL: 'trace',
  };
  const answers: string[] = [];
  const printed: string[] = [];
  const server = await readyServer(database, environment);
  const client = createClient(server.url, apiKey);
  const rest: typeof client.rest = async (...request) => {
    const answer = await client.rest(...request);
    answers.push(JSON.stringify(answer.body ?? null), ...answer.headers.values());
    return answer;
  };
  const graphql: typeof client.graphql = async (...request) => {
    const answer = await client.graphql(...request);
    answers.push(JSON.stringify(answer));
    return answer;
  };

  // Authorities of every kind, which sign, and two whose sealed keys are swapped before they can sign.
  const authorities: string[] = [];
  for (const values of [...Object.values(authorityKinds), {}, {}]) {
    const { status, body } = await rest('POST', '/ssh_certificate_authorities', values);
    expect(status).toBe(201);
    authorities.push(body.id);
  }
  const { sshCertificateAuthority: table } = await openClient(database);
  const rows = await table.findMany({ select: { id: true, sealedPrivateKey: true } });
  const vault = createSecrets(secretKey, randomBytes);
  const keys = new Map(
    rows.map(({ id, sealedPrivateKey }) => {
      const key = vault.open(sealedPrivateKey, ownerOf('SshCertificateAuthority', id));
      return [id, createPrivateKey({ key, format: 'der', type: 'pkcs8' })];
    }),
  );
  expect([...keys.keys()].sort()).toEqual([...authorities].sort());
  const [first = '', second = ''] = authorities.slice(-2);
  for (const { id, sealedPrivateKey } of rows) {
    if (id === first) await table.update({ where: { id: second }, data: { sealedPrivateKey } });
    if (id === second) await table.update({ where: { id: first }, data: { sealedPrivateKey } });
  }

  const request = { public_key: hostKeys.ed25519, principals: ['a.example.com'] };
  for (const id of authorities.slice(0, -2)) {
    const { status, body } = await rest('POST', '/ssh_host_certificates', {
      ...request,
      ssh_certificate_authority_id: id,
    });
    expect(status).toBe(201);
    await rest('PATCH', `/ssh_certificate_authorities/${id}`, { description: 'used' });
    await rest('DELETE', `/ssh_host_certificates/${body.id}`);
    answers.push(await (await fetch(`${server.url}/ssh_certificate_authorities/${id}/krl`)).text());
  }
  for (const id of [first, second]) {
    const failed = await rest('POST', '/ssh_host_certificates', { ...request, ssh_certificate_authority_id: id });
    expect([failed.status, failed.body.error_code]).toEqual([500, 'INTERNAL']);
    expect((await rest('DELETE', `/ssh_certificate_authorities/${id}`)).status).toBe(204);
  }
  await rest('GET', '/ssh_certificate_authorities');
  await graphql(
    '{ sshCertificateAuthorities { nodes { id publicKey knownHostsLine fingerprint hostCertificates { nodes { id } } } } }',
  );
  await graphql('{ sshCertificateAuthorities { nodes { sealedPrivateKey privateKey } } }');

  // Private keys that a user pastes wherever text is accepted.
  const pasted = new Map<string, KeyObject>([
    ['pasted ed25519', generateKeyPairSync('ed25519').privateKey],
    ['pasted ecdsa', generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey],
    ['pasted rsa', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey],
  ]);
  const [authority = ''] = authorities;
  const good = { ...request, ssh_certificate_authority_id: authority };
  const create = `mutation ($input: CreateSshHostCertificateInput!) {
    createSshHostCertificate(input: $input) { sshHostCertificate { id } }
  }`;
  for (const key of pasted.values()) {
    const bare = pem(key).replace(/-----.*-----|\n/g, '');
    for (const text of [
      pem(key),
      opensshForm(key),
      bare,
      pem(key).replaceAll('\n', ' '),
      `${hostKeys.ed25519}\n${pem(key)}`,
    ]) {
      for (const public_key of [text, [text], { key: text }]) {
        expect((await rest('POST', '/ssh_host_certificates', { ...good, public_key })).status).toBe(400);
        const input = { sshCertificateAuthorityId: authority, publicKey: public_key };
        expect((await graphql(create, { input })).errors).toHaveLength(1);
      }
      const inline = `createSshHostCertificate(input: { sshCertificateAuthorityId: "${authority}", publicKey: ${JSON.stringify(text)} })`;
      expect((await graphql(`mutation { ${inline} { __typename } }`)).errors).toHaveLength(1);
      const refusedBodies = [
        { ...good, principals: [text] },
        { ...good, valid_until: text },
        { ...good, ssh_certificate_authority_id: text },
      ];
      for (const body of refusedBodies) expect((await rest('POST', '/ssh_host_certificates', body)).status).toBe(400);
      for (const field of ['private_key_type', 'elliptic_curve', 'key_size']) {
        expect((await rest('POST', '/ssh_certificate_authorities', { [field]: text })).status).toBe(400);
      }
      expect((await rest('POST', '/ssh_host_certificates', `{"public_key": "${text}`)).status).toBe(400);
      expect((await rest('PATCH', `/ssh_certificate_authorities/${authority}`, { public_key: text })).status).toBe(400);
      const addressed = `/ssh_certificate_authorities/${encodeURIComponent(text)}`;
      expect((await rest('GET', addressed)).status).toBe(404);
    }
  }

  const secrets = new Map([...keys, ...pasted].map(([name, key]) => [name, secretNumbers(key).flatMap(formsOfSecret)]));
  const contentsWhileRunning = await contentsOf(database);

  server.child.kill('SIGTERM');
  const { out, errors } = await endOf(server);
  printed.push(out, errors);
  for (const wrong of [randomBytes(32).toString('base64'), '']) {
    const refused = await endOf(
      start('main', [], {
        ...environment,
        ...database.environment,
        SECRET_KEY: wrong,
      }),
    );
    expect([refused.code, refused.errors]).toEqual([1, expect.stringContaining('Sallyport cannot run.')]);
    printed.push(refused.out, refused.errors);
  }

  // Proves that the search covered real content: the log has the failures, and the database has the public keys.
  expect(errors.match(/is damaged/g)?.length).toBeGreaterThanOrEqual(2);
  const listed = JSON.parse(answers.find((answer) => answer.startsWith('{"ssh_certificate_authorities"')) ?? '{}');
  const publicKey: string = listed.ssh_certificate_authorities[0].public_key;
  expect(contentsWhileRunning.includes(publicKey)).toBe(true);

  const contents: [string, Buffer | string][] = [
    ['the database while the server runs', contentsWhileRunning],
    ['the database at the end', await contentsOf(database)],
    // Unescaping leaves text that is not encoded as it is. The set helps because most headers come with every answer.
    ...[...new Set(answers.flatMap((answer) => [answer, querystring.unescape(answer)]))].map(
      (answer): [string, string] => ['an answer', answer],
    ),
    ...printed.map((text): [string, string] => ['what was printed', text]),
  ];
  secrets.set('the secret key', formsOfSecret(secretKey));
  expect(contents.flatMap(([where, content]) => shown(content, secrets).map((what) => `${what} in ${where}`))).toEqual(
    [],
  );
});
