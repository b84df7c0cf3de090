// Assertions that xmlsec1 encrypts: another implementation than that of the other tests, with AES-GCM, and without the declarations of
// namespaces that are on the response.

import { execFileSync, spawnSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { check, expected, key, spoken } from '../domain/saml/checked-response.ts';
import { temporaryDirectory } from '../process/support.ts';
import { assertionXml, decryptionWith, responseXml, signed } from '../support/identity-provider.ts';
import { rsaKeyFromStock } from '../support/keys.ts';

const isInstalled = spawnSync('xmlsec1', ['--version']).status === 0;
if (!isInstalled) process.stderr.write('xmlsec1 is not installed: the test of what it encrypts is skipped.\n');

const ours = rsaKeyFromStock(2048, 'server');
const xmlenc = 'http://www.w3.org/2001/04/xmlenc#';

/** Encrypts the assertion in a response, where it stands. */
function encryptedBy(directory: string, response: string, algorithm: string, sessionKey: string): string {
  const at = (name: string) => join(directory, name);
  const method = (name: string) => `<xenc:EncryptionMethod Algorithm="${name}"/>`;
  const data = '<xenc:CipherData><xenc:CipherValue/></xenc:CipherData>';
  writeFileSync(at('key.pem'), createPublicKey(ours).export({ type: 'spki', format: 'pem' }));
  writeFileSync(at('response.xml'), response);
  writeFileSync(
    at('template.xml'),
    `<xenc:EncryptedData xmlns:xenc="${xmlenc}" Type="${xmlenc}Element">${method(algorithm)}` +
      `<ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><xenc:EncryptedKey>${method(`${xmlenc}rsa-oaep-mgf1p`)}${data}` +
      `</xenc:EncryptedKey></ds:KeyInfo>${data}</xenc:EncryptedData>`,
  );
  const place = ['--xml-data', at('response.xml'), '--node-xpath', `//*[local-name()='Assertion']`];
  const keys = ['--pubkey-pem', at('key.pem'), '--session-key', sessionKey];
  return execFileSync('xmlsec1', ['--encrypt', ...keys, ...place, at('template.xml')], { encoding: 'utf8' });
}

test.skipIf(!isInstalled).each([
  ['http://www.w3.org/2009/xmlenc11#aes128-gcm', 'aes-128'],
  ['http://www.w3.org/2009/xmlenc11#aes192-gcm', 'aes-192'],
  ['http://www.w3.org/2009/xmlenc11#aes256-gcm', 'aes-256'],
  [`${xmlenc}aes256-cbc`, 'aes-256'],
])('an assertion that xmlsec1 encrypts by %s is read, signed inside or around it', async (algorithm, sessionKey) => {
  const directory = temporaryDirectory();
  const against = { ...expected, decryption: decryptionWith(ours) };
  const encrypted = (assertion: string) => {
    // Without its own declaration, which the response has as well.
    const borrowing = assertion.replace(' xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"', '');
    const response = responseXml(spoken, `<saml:EncryptedAssertion>${borrowing}</saml:EncryptedAssertion>`);
    return encryptedBy(directory, response, algorithm, sessionKey);
  };
  const inside = encrypted(signed(assertionXml(spoken), 'Assertion', key));
  expect(inside).toContain(algorithm);
  for (const xml of [
    inside,
    signed(inside, 'Response', key),
    signed(encrypted(assertionXml(spoken)), 'Response', key),
  ]) {
    expect(await check(xml, against)).toMatchObject({ nameId: 'amy', groups: ['staff', 'admins'] });
  }
});
