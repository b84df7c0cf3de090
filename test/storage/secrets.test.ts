import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { createSshCertificateAuthority } from '../../src/areas/ssh/authorities/authority-store.ts';
import { createSshHostCertificate } from '../../src/areas/ssh/certificates/certificate-store.ts';
import type { KeyedDatabase } from '../../src/storage/engine.ts';
import { getDatamodel } from '../../src/storage/generated/pothos.ts';
import {
  findSecretKey,
  isRightKey,
  prepareKeyChange,
  readSecretKey,
  sealCheck,
  secretCheckFact,
  secretKeyProblem,
} from '../../src/storage/keys/secret-key.ts';
import { createSecrets, ownerOf } from '../../src/storage/keys/secrets.ts';
import { changeSecretKey } from '../../src/storage/lifecycle/open.ts';
import { collectionOf } from '../../src/storage/objects/collections.ts';
import { openStorage } from '../../src/storage/storage.ts';
import { commandLine } from '../../src/storage/trail/origin.ts';
import { createWorld } from '../http/world.ts';
import { byEngine, endHold, execute, executeNow, openClient, testDatabase } from '../support/database.ts';
import { idpMetadata, makeIdpKey } from '../support/identity-provider.ts';
import { repeatableBytes, startService, startTime } from '../support/service.ts';
import { statementsOf } from '../support/statements.ts';

const sshCertificateAuthorities = collectionOf('SshCertificateAuthority');

const bytes = repeatableBytes('secrets');
const key = bytes(32);
const otherKey = bytes(32);
const secret = Buffer.from('private key');

describe('a sealed secret', () => {
  const sealed = createSecrets(key, bytes).seal(secret, 'Model a');

  test('opens for its owner under its key', () => {
    expect(createSecrets(key, bytes).open(sealed, 'Model a')).toEqual(secret);
  });

  test('shows nothing of the secret, and differs each time', () => {
    expect(Buffer.from(sealed).includes(secret)).toBe(false);
    expect(createSecrets(key, bytes).seal(secret, 'Model a')).not.toEqual(sealed);
  });

  test('opens for no other owner', () => {
    expect(() => createSecrets(key, bytes).open(sealed, 'Model b')).toThrow('The secret of Model b is damaged.');
  });

  test('does not open under another key, and says so', () => {
    expect(() => createSecrets(otherKey, bytes).open(sealed, 'Model a')).toThrow(
      'The secret of Model a is sealed under another secret key.',
    );
  });

  test('of a derived key opens under that of the same key and purpose, and under no other', () => {
    const ofPurpose = createSecrets(key, bytes).derive('state').seal(secret, 'Model a');
    expect(createSecrets(key, bytes).derive('state').open(ofPurpose, 'Model a')).toEqual(secret);
    const others = [
      createSecrets(key, bytes),
      createSecrets(key, bytes).derive('other'),
      createSecrets(otherKey, bytes).derive('state'),
    ];
    for (const other of others) expect(() => other.open(ofPurpose, 'Model a')).toThrow('under another secret key');
    expect(() => createSecrets(key, bytes).derive('state').open(sealed, 'Model a')).toThrow('under another secret key');
  });

  test('does not open when any byte of it has changed, or is missing', () => {
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Uint8Array.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => createSecrets(key, bytes).open(changed, 'Model a'), `byte ${index}`).toThrow();
    }
    expect(() => createSecrets(key, bytes).open(sealed.subarray(0, 20), 'Model a')).toThrow('is damaged');
    expect(() => createSecrets(key, bytes).open(sealed.subarray(0, -1), 'Model a')).toThrow('is damaged');
  });
});

describe('the text of a secret key', () => {
  test('is 32 bytes in hexadecimal, base64 or base64url, with white space around it', () => {
    const buffer = Buffer.from(key);
    for (const text of [buffer.toString('hex'), buffer.toString('base64'), ` ${buffer.toString('base64url')}\n`]) {
      expect(Buffer.from(readSecretKey(text) ?? [])).toEqual(buffer);
    }
  });

  test.each(['', 'secret', 'a'.repeat(42), 'a'.repeat(45), 'g'.repeat(64)])('is not %j', (text) => {
    expect(readSecretKey(text)).toBeNull();
  });
});

describe('with a key file', () => {
  let directory: string;
  let path: string;
  let place: KeyedDatabase;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'sallyport-secrets-'));
    path = join(directory, 'test.db');
    place = { name: path, keyFile: `${path}.key` };
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  test('the first start makes a file that nobody else can read, and later starts find the same key', () => {
    const first = findSecretKey(place, null, null, bytes);
    expect(statSync(`${path}.key`).mode & 0o777).toBe(0o600);
    const check = sealCheck(first, bytes);
    expect(Buffer.from(findSecretKey(place, null, check, bytes))).toEqual(Buffer.from(first));
  });

  test('a start without the file of a sealed database is refused, and makes no new file', () => {
    const check = sealCheck(key, bytes);
    expect(() => findSecretKey(place, null, check, bytes)).toThrow(
      /sealed with a secret key that is not here.*test\.db\.key/,
    );
    expect(existsSync(`${path}.key`)).toBe(false);
  });

  test('a start with the file of another database, a damaged file, or another SECRET_KEY is refused', () => {
    const check = sealCheck(key, bytes);
    writeFileSync(`${path}.key`, Buffer.from(otherKey).toString('base64'));
    expect(() => findSecretKey(place, null, check, bytes)).toThrow('is not the key that');
    writeFileSync(`${path}.key`, 'oops');
    expect(() => findSecretKey(place, null, check, bytes)).toThrow('is damaged');
    expect(() => findSecretKey(place, otherKey, check, bytes)).toThrow('SECRET_KEY is not the key that');
  });

  test('a database that no machine keeps to itself has no key file: SECRET_KEY must give the key', () => {
    const shared = { name: 'db.example/sallyport', keyFile: null };
    const problem =
      'The database db.example/sallyport has no key file: set SECRET_KEY to 32 random bytes, from "openssl rand -base64 32".';
    expect(() => findSecretKey(shared, null, null, bytes)).toThrow(problem);
    expect(() => prepareKeyChange(shared, otherKey)).toThrow(problem);
    expect(secretKeyProblem(shared, null, sealCheck(key, bytes))).toBe(problem);
    expect(findSecretKey(shared, key, sealCheck(key, bytes), bytes)).toEqual(key);
  });

  test('a change of the key that is cut off before the database took the new one keeps the old one', () => {
    const old = findSecretKey(place, null, null, bytes);
    prepareKeyChange(place, otherKey);
    expect(findSecretKey(place, null, sealCheck(old, bytes), bytes)).toEqual(old);
  });

  test('a change of the key that is cut off after the database took the new one is finished by the next start', () => {
    findSecretKey(place, null, null, bytes);
    prepareKeyChange(place, otherKey);
    const found = findSecretKey(place, null, sealCheck(otherKey, bytes), bytes);
    expect(Buffer.from(found)).toEqual(Buffer.from(otherKey));
    expect(readFileSync(`${path}.key`, 'utf8')).toBe(`${Buffer.from(otherKey).toString('base64')}\n`);
    expect(existsSync(`${path}.key.new`)).toBe(false);
  });

  test('a change of the key seals every secret anew, and leaves none under the old key', async () => {
    const database = await testDatabase();
    const open = (secretKey: Uint8Array) =>
      openStorage({
        engine: database.engine,
        now: () => startTime,
        randomBytes: bytes,
        secretKey: () => secretKey,
      });
    const storage = await open(key);
    const { id: accountId } = await storage.accounts.create('a', commandLine);
    const authority = await createSshCertificateAuthority(storage.actingFor(accountId, commandLine), {});
    expect(await storage.changeSecretKey(otherKey)).toBe(1);
    await storage.close();

    const client = await openClient(database);
    const row = await client.sshCertificateAuthority.findUniqueOrThrow({ where: { id: authority.id } });
    const fact = await client.serverFact.findUniqueOrThrow({ where: { name: 'secret check' } });
    const owner = ownerOf('SshCertificateAuthority', authority.id);
    expect(createSecrets(otherKey, bytes).open(row.sealedPrivateKey, owner)).toEqual(
      createSecrets(key, bytes).open(authority.sealedPrivateKey, owner),
    );
    expect(() => createSecrets(key, bytes).open(row.sealedPrivateKey, owner)).toThrow();
    expect([isRightKey(key, fact.value), isRightKey(otherKey, fact.value)]).toEqual([false, true]);
    // The authority still signs.
    const again = await open(otherKey);
    const publicKey = authority.publicKey;
    const { sshCertificateAuthorityId } = await createSshHostCertificate(again.actingFor(accountId, commandLine), {
      sshCertificateAuthorityId: authority.id,
      publicKey,
    });
    await again.close();
    expect(sshCertificateAuthorityId).toBe(authority.id);
  });

  test('a server that has missed a change of the key stores and opens no more secrets, and is unready', async () => {
    const troubles: (string | null)[] = [];
    const onTrouble = (message: string | null) => void troubles.push(message);
    const service = await startService({}, { secretKey: () => key, owner: { onTrouble } });
    const { body: authority } = await service.rest('POST', '/ssh_certificate_authorities', {});
    const certificate = { ssh_certificate_authority_id: authority.id, public_key: authority.public_key };
    const { body: edge } = await service.rest('POST', '/edges/https', { hostports: ['app.example.com:443'] });
    const { body: route } = await service.rest('POST', `/edges/https/${edge.id}/routes`, {
      match: '/',
      match_type: 'path_prefix',
    });
    const module = { idp_metadata: idpMetadata([makeIdpKey()]) };
    const path = `/edges/https/${edge.id}/routes/${route.id}/saml`;
    expect((await service.rest('PUT', path, module)).status).toBe(200);
    const other = await openStorage({
      engine: service.database.engine,
      now: () => startTime,
      randomBytes: bytes,
      secretKey: () => key,
    });
    expect(await other.changeSecretKey(otherKey)).toBe(3);
    await other.close();

    const changed = 'The secret key has been changed. The operator must restart the server.';
    // The first to notice is a signature, which only opens a secret.
    for (const _ of [1, 2, 3]) {
      const signed = await service.rest('POST', '/ssh_host_certificates', certificate);
      expect([signed.status, signed.body.msg]).toEqual([503, changed]);
    }
    await expect.poll(() => new Set(troubles)).toEqual(new Set([expect.stringContaining('restart the server')]));
    await expect(service.storage.health.probe()).rejects.toThrow('The secret key has been changed.');
    expect(await service.storage.health.problems()).toHaveLength(1);
    const refused = await service.rest('POST', '/ssh_certificate_authorities', {});
    expect([refused.status, refused.body]).toEqual([503, expect.objectContaining({ msg: changed })]);
    expect((await service.rest('DELETE', path)).status).toBe(204);
    expect((await service.rest('PUT', path, module)).status).toBe(503);
    expect((await service.rest('GET', '/ssh_certificate_authorities')).body.ssh_certificate_authorities).toHaveLength(
      1,
    );
    expect((await service.rest('POST', '/ip_policies', {})).status).toBe(201);
    // A change back is noticed as well.
    const back = await openStorage({
      engine: service.database.engine,
      now: () => startTime,
      randomBytes: bytes,
      secretKey: () => otherKey,
    });
    await back.changeSecretKey(key);
    await back.close();
    expect(await service.storage.health.problems()).toEqual([]);
    expect(troubles).toContain(null);
    await service.close();
  });

  test('a secret of another database is named, and is not taken for a change of the key', async () => {
    const service = await startService({}, { secretKey: () => key });
    const { body: authority } = await service.rest('POST', '/ssh_certificate_authorities', {});
    const foreign = createSecrets(otherKey, bytes).seal(
      Buffer.from('x'),
      ownerOf('SshCertificateAuthority', authority.id),
    );
    const client = await openClient(service.database);
    await client.sshCertificateAuthority.update({
      where: { id: authority.id },
      data: { sealedPrivateKey: foreign },
    });
    const certificate = { ssh_certificate_authority_id: authority.id, public_key: authority.public_key };
    const sign = async () => (await service.rest('POST', '/ssh_host_certificates', certificate)).status;
    await expect.poll(sign).toBe(500);
    expect(await service.storage.health.problems()).toEqual([]);
    expect((await service.rest('POST', '/ssh_certificate_authorities', {})).status).toBe(201);
    await service.close();
  });

  test('a change of the key that has missed a secret changes nothing', async () => {
    const database = await testDatabase();
    let isMissed = true;
    const storage = await openStorage({
      engine: database.engine,
      now: () => startTime,
      randomBytes: bytes,
      secretKey: () => key,
      onStatement(sql) {
        if (isMissed || !/^SELECT.* FROM .*SshCertificateAuthority/.test(sql)) return;
        isMissed = true;
        // As after another server has stored a secret: the check of the key is a different one.
        executeNow(
          database,
          `UPDATE "ServerFact" SET "value" = (SELECT "sealedPrivateKey" FROM "SshCertificateAuthority")`,
        );
      },
    });
    const { id: accountId } = await storage.accounts.create('a', commandLine);
    const authority = await createSshCertificateAuthority(storage.actingFor(accountId, commandLine), {});
    isMissed = false;
    await expect(storage.changeSecretKey(otherKey)).rejects.toThrow(
      'A server has changed secrets meanwhile. Nothing was changed: stop all servers, and try again.',
    );
    expect(isMissed).toBe(true);
    const { sealedPrivateKey } = await sshCertificateAuthorities.get(storage.forAccount(accountId), authority.id);
    await storage.close();
    expect(sealedPrivateKey).toEqual(authority.sealedPrivateKey);
  });

  // On SQLite, a process has the right to the database until it ends.
  test.runIf(inject('engine') === 'postgresql')(
    'a change of the key that has lost the right to the database changes nothing',
    async () => {
      const database = await testDatabase();
      // The first opening stores the check of the key: after the hold on the database began, before the key is changed.
      await execute(
        database,
        `CREATE FUNCTION end_hold() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN PERFORM count(*) FROM (${endHold}) ended; RETURN NEW; END $$`,
        'CREATE TRIGGER end_hold BEFORE INSERT ON "ServerFact" FOR EACH ROW EXECUTE FUNCTION end_hold()',
      );
      await expect(changeSecretKey({ databaseUrl: database.url, secretKey: key }, otherKey)).rejects.toThrow(
        `The connection that kept servers off the database ${database.engine.name} was lost before the work was committed. ` +
          'Stop all servers, and try again.',
      );
      const facts = await (await openClient(database)).serverFact.findMany({ where: { name: secretCheckFact } });
      expect(facts.map(({ value }) => isRightKey(key, value))).toEqual([true]);
    },
  );

  test('a column of bytes holds a secret, and tells so by its name', () => {
    const columns = Object.entries(getDatamodel().datamodel.models).flatMap(([model, { fields }]) =>
      fields.filter(({ type }) => type === 'Bytes').map(({ name }) => `${model}.${name}`),
    );
    // Idempotency records are sealed as well, but not sealed again when the key changes.
    // So are ID tokens: after a change of the key, a logout does without.
    const forAWhile = ['SamlLogin.idToken', 'LoginSession.idToken', 'IdempotencyRecord.content'];
    // Packed ranges are no secret.
    const ranges = ['IpPolicySourceList.ranges', 'IpPolicySourceList.pending'];
    const others = ['ServerFact.value', ...forAWhile, ...ranges];
    expect(columns.filter((column) => !/\.sealed[A-Z]/.test(column))).toEqual(others);
    expect(columns).toContain('SamlModule.sealedPrivateKey');
  });

  test('a change of the key reads the secrets a few at a time', async () => {
    const service = await startService({}, { secretKey: () => key });
    const [account] = await service.storage.accounts.list();
    const created = startTime.toISOString();
    // Erased ones, which need not be sealed.
    const empty = byEngine({ sqlite: `x''`, postgresql: `''::bytea` });
    const values = Array.from(
      { length: 1_100 },
      (_, n) => `('sshca_${1_000 + n}', '${account?.id}', '${created}', '${created}', 'ed25519', 'key ${n}', ${empty})`,
    );
    const columns = '"id", "accountId", "createdAt", "updatedAt", "keyType", "publicKey", "sealedPrivateKey"';
    await execute(service.database, `INSERT INTO "SshCertificateAuthority" (${columns}) VALUES ${values.join(', ')}`);
    const statements = await statementsOf(service, () => service.storage.changeSecretKey(otherKey));
    const reads = statements.filter((sql) => /^SELECT .*SshCertificateAuthority/.test(sql));
    expect(reads.map((sql) => / LIMIT '?(\d+)/.exec(sql)?.[1])).toEqual(['500', '500', '500']);
    await service.close();
  });

  test('every model with a sealed column is known to the change of the key', async () => {
    const service = await startService({}, { secretKey: () => key });
    const id = await createWorld(service);
    const rotated = await service.graphql(
      'mutation ($id: ID!) { rotateWebhookSecret(input: { id: $id }) { webhook { id } } }',
      {
        id: id('/webhooks'),
      },
    );
    expect(rotated.errors).toBeUndefined();
    const role = { objectId: 'role_1', accountId: 'acct_1', document: 'd', kind: 'Role', name: 'r' };
    const sealedSecrets = createSecrets(key, bytes).seal(Buffer.from('{}'), ownerOf('ConfiguredObject', role.objectId));
    await (await openClient(service.database)).configuredObject.create({ data: { ...role, sealedSecrets } });
    const saml = { name: 'SAML', saml: { idp_metadata: idpMetadata([makeIdpKey()]) } };
    expect((await service.rest('POST', '/sign_in_providers', saml)).status).toBe(201);
    // The chain of the trail has a key.
    await service.storage.upkeep();
    await service.storage.changeSecretKey(otherKey);
    const columns = Object.entries(getDatamodel().datamodel.models).flatMap(([model, { fields }]) => {
      const id = fields.find(({ isId }) => isId)?.name ?? '';
      return fields.filter(({ name }) => name.startsWith('sealed')).map(({ name }) => ({ model, sealed: name, id }));
    });
    const found = new Set<string>();
    for (const { model, sealed, id } of columns) {
      for (const [content, owner] of await execute(service.database, `SELECT "${sealed}", "${id}" FROM "${model}"`)) {
        if (content === null) continue;
        if (!(content instanceof Uint8Array)) throw new TypeError(`${model}.${sealed} is not bytes.`);
        createSecrets(otherKey, bytes).open(content, ownerOf(model, String(owner)));
        found.add(`${model}.${sealed}`);
      }
    }
    await service.close();
    // The sample data has one of each.
    expect([...found].sort()).toEqual(columns.map(({ model, sealed }) => `${model}.${sealed}`).sort());
    expect(columns.length).toBeGreaterThan(1);
  });
});
