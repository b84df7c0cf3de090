// What `domain/saml/response.ts`, `decryption.ts` and `encryption.ts` promise of responses with something encrypted in them: those of
// honest identity providers are read, and all others get one answer, whatever is wrong. Real keys; the clock is fixed.

import { createPublicKey, type KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  assertionXml,
  decryptionWith,
  type EncryptionManner,
  encrypted,
  responseXml,
  type Spoken,
  signed,
} from '../../support/identity-provider.ts';
import { rsaKeyFromStock } from '../../support/keys.ts';
import { check, expected, key, refusal, spoken, strangersKey } from './checked-response.ts';

const ours = rsaKeyFromStock(2048, 'server');
const former = rsaKeyFromStock(2048, 'server');
const against = { ...expected, decryption: decryptionWith(ours, former) };
const clear = assertionXml(spoken);
const good = signed(clear, 'Assertion', key);
const evil = assertionXml({ ...spoken, subject: spoken.subject.replace('>amy<', '>eve<') }, '_evil');
const [signature = ''] = /<ds:Signature .*<\/ds:Signature>/s.exec(good) ?? [];

/** Encrypts an assertion for us. */
const hidden = (assertion: string, manner?: EncryptionManner, recipient: KeyObject = ours) =>
  encrypted('EncryptedAssertion', assertion, createPublicKey(recipient), manner);
/** Writes a response around some content, without a signature or with one of its own. */
const unsigned = (content: string) => responseXml(spoken, content);
const wholly = (content: string) => signed(unsigned(content), 'Response', key);
const withName = (name: string): Spoken => ({
  ...spoken,
  subject: spoken.subject.replace(/<saml:NameID.*NameID>/, name),
});
const hiddenName = (manner?: EncryptionManner, recipient: KeyObject = ours) => {
  const [name = ''] = /<saml:NameID.*NameID>/.exec(spoken.subject) ?? [];
  return encrypted('EncryptedID', name, createPublicKey(recipient), manner);
};

describe('an encrypted assertion is accepted', () => {
  // What a response declares for all of it may be missing from the assertion that is encrypted.
  const borrowing = good.replace(' xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"', '');
  it.each([
    ['as Shibboleth sends it: AES-128-GCM, the response signed', wholly(hidden(clear))],
    ['as a Shibboleth of long ago sends it: AES-128-CBC', wholly(hidden(clear, { content: 'aes-128-cbc' }))],
    ['as Entra ID and AD FS send it: AES-256-CBC, signed inside', unsigned(hidden(good, { content: 'aes-256-cbc' }))],
    ['as SimpleSAMLphp sends it: AES-128-CBC, both signed', wholly(hidden(good, { content: 'aes-128-cbc' }))],
    [
      'as Keycloak sends it: AES-256-GCM and RSA-OAEP with SHA-256, the response signed',
      wholly(hidden(clear, { content: 'aes-256-gcm', transport: 'oaep-sha256' })),
    ],
    ['as xmlsec1 writes it: the key beside', wholly(hidden(good, { isKeyBeside: true }))],
    [
      'with AES-192-GCM and RSA-OAEP of SHA-1',
      unsigned(hidden(good, { content: 'aes-192-gcm', transport: 'oaep-sha1' })),
    ],
    ['without the name of the digest', unsigned(hidden(good, { transport: 'oaep-mgf1p without digest' }))],
    ['for our former key', unsigned(hidden(good, {}, former))],
    ['with the declarations of the response', unsigned(hidden(borrowing))],
    ['with an encrypted name', unsigned(hidden(signed(assertionXml(withName(hiddenName())), 'Assertion', key)))],
    ['not at all, but the name in it', unsigned(signed(assertionXml(withName(hiddenName())), 'Assertion', key))],
    ['not at all, but the name in it, the response signed', wholly(assertionXml(withName(hiddenName())))],
  ])('%s', async (_, xml) => {
    expect(borrowing).not.toBe(good);
    expect(await check(xml, against)).toEqual(await check(unsigned(good)));
  });

  it('with all the checks of one in clear', async () => {
    const reasonOf = async (other: Partial<Spoken>) => {
      const assertion = assertionXml({ ...spoken, ...other });
      const forms = [unsigned(hidden(signed(assertion, 'Assertion', key))), wholly(hidden(assertion))];
      const reasons = await Promise.all(forms.map((xml) => refusal(check(xml, against))));
      return [...new Set(reasons.map(([reason]) => reason))];
    };
    const { conditions, subject, issuer } = spoken;
    expect(await reasonOf({ conditions: conditions.replace('<saml:Audience>', '<saml:Audience>a') })).toEqual([
      'audience',
    ]);
    expect(await reasonOf({ subject: subject.replace('/acs"', '/other"') })).toEqual(['destination']);
    expect(await reasonOf({ subject: subject.replace('"_request"', '"_other"') })).toEqual(['in_response_to']);
    expect(await reasonOf({ issuer: issuer.replace('idp.', 'other.') })).toEqual(['issuer']);
    expect(await reasonOf({ statement: '' })).toEqual(['no_authentication']);
  });
});

const unreadable = 'What is encrypted cannot be decrypted, or is not signed as it must be.';
const lastValue = /(<xenc:CipherValue>)[^<]*(<\/xenc:CipherValue>(?!.*<xenc:CipherValue>))/s;
/** Changes the bytes of the last value in a container, which is the encrypted assertion. */
const changed = (container: string, change: (bytes: Buffer) => Buffer) =>
  container.replace(lastValue, (_all, open: string, close: string) => {
    const [, value = ''] = /.*<xenc:CipherValue>([^<]*)</s.exec(container) ?? [];
    return `${open}${change(Buffer.from(value, 'base64')).toString('base64')}${close}`;
  });
const flipped = (at: number) => (bytes: Buffer) => {
  const index = at < 0 ? bytes.length + at : at;
  bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index);
  return bytes;
};

describe('one answer is given', () => {
  const cbc = hidden(good, { content: 'aes-256-cbc' });
  const evilWith = (content: string) => evil.replace('</saml:Issuer>', `</saml:Issuer>${content}`);
  it.each([
    ['another key', unsigned(hidden(good, {}, rsaKeyFromStock(2048, 'well-known')))],
    ['a key for another length', unsigned(hidden(good).replace('aes128-gcm', 'aes256-gcm'))],
    ['a tag that is not right', unsigned(changed(hidden(good), flipped(-1)))],
    ['a tag that was cut to 4 bytes', unsigned(changed(hidden(good), (bytes) => bytes.subarray(0, -12)))],
    ['less than a tag', unsigned(changed(hidden(good), (bytes) => bytes.subarray(0, 20)))],
    ['less than a block', unsigned(changed(cbc, (bytes) => bytes.subarray(0, 16)))],
    ['half a block', unsigned(changed(cbc, (bytes) => bytes.subarray(0, -8)))],
    ['a padding that is not right', unsigned(changed(cbc, flipped(-17)))],
    ['a block that was changed', unsigned(changed(cbc, flipped(40)))],
    ['a document type in it', unsigned(hidden(`<!DOCTYPE a>${good}`))],
    ['an entity in it', unsigned(hidden(`<!DOCTYPE a [<!ENTITY b "amy">]>${good.replace('>amy<', '>&b;<')}`))],
    ['an entity alone', unsigned(hidden(good.replace('>amy<', '>&b;<')))],
    ['what is not XML', unsigned(hidden('amy'))],
    ['what is not UTF-8', unsigned(changed(hidden(good, { content: 'aes-128-cbc' }), flipped(60)))],
    ['two assertions', unsigned(hidden(good + evil))],
    ['an assertion in another', unsigned(hidden(evilWith(good)))],
    ['an assertion in another, in a signed response', wholly(hidden(evilWith(clear)))],
    [
      'an assertion in the signature of another',
      unsigned(
        hidden(evilWith(signature.replace('</ds:Signature>', `<ds:Object>${clear}</ds:Object></ds:Signature>`))),
      ),
    ],
    ['the end of what is around it', unsigned(hidden(`</Decrypted>${evil}<Decrypted>${good}`))],
    ['another thing in it', unsigned(hidden('<saml:Issuer>amy</saml:Issuer>'))],
    ['an encrypted one in it', unsigned(hidden(hidden(good)))],
    ['no signature', unsigned(hidden(clear))],
    ['the signature of a stranger', unsigned(hidden(signed(clear, 'Assertion', strangersKey)))],
    ['the signature of another assertion', unsigned(hidden(evilWith(signature)))],
    ['another name after signing', unsigned(hidden(good.replace('>amy<', '>eve<')))],
    ['SHA-1 in its signature', unsigned(hidden(signed(clear, 'Assertion', key, { signature: 'rsa-sha1' })))],
    [
      'too many elements',
      unsigned(hidden(good.replace('</saml:Assertion>', `${'<a/>'.repeat(5_000)}</saml:Assertion>`))),
    ],
    ['the signature of a stranger in a signed response', wholly(hidden(signed(clear, 'Assertion', strangersKey)))],
    ['another name', unsigned(signed(assertionXml(withName(hiddenName({}, key.privateKey))), 'Assertion', key))],
  ])('after decryption, to %s', async (_, xml) => {
    expect(await refusal(check(xml, against))).toEqual(['signature', unreadable]);
  });

  const several = 'The response has several assertions.';
  const parts = 'The response has more encrypted parts than are allowed, or fewer.';
  const more = (name: string) => `${name} has more in it than is allowed, or less.`;
  const once = hidden(good);
  const [encryptedKey = ''] = /<xenc:EncryptedKey.*<\/xenc:EncryptedKey>/s.exec(once) ?? [];
  const oaep = 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p';
  const sha1 = 'http://www.w3.org/2000/09/xmldsig#sha1';
  it.each([
    ['RSA 1.5', /^Encryption by \S+#rsa-1_5 with /, unsigned(hidden(good, { transport: 'rsa-1_5' }))],
    ['3DES', /^Encryption by \S+#tripledes-cbc is refused\.$/, unsigned(hidden(good, { content: 'des-ede3-cbc' }))],
    [
      'a key that is not encrypted by ours',
      /#kw-aes128 with /,
      unsigned(once.replace(oaep, 'http://www.w3.org/2001/04/xmlenc#kw-aes128')),
    ],
    [
      'a digest without the mask of its kind',
      /#sha256 and \S+mgf1sha1 is/,
      unsigned(once.replace(sha1, 'http://www.w3.org/2001/04/xmlenc#sha256')),
    ],
    [
      'a label',
      /is refused\.$/,
      unsigned(once.replace('<ds:DigestMethod', '<xenc:OAEPparams>YQ==</xenc:OAEPparams><ds:DigestMethod')),
    ],
    ['an assertion in clear beside it', several, unsigned(good + once)],
    ['an assertion in clear beside it, all signed', several, wholly(clear + once)],
    ['two of them', several, unsigned(once + hidden(good))],
    ['one in the extensions', several, unsigned(`<samlp:Extensions>${once}</samlp:Extensions>${hidden(evil)}`)],
    ['nothing in it', parts, unsigned('<saml:EncryptedAssertion/>')],
    [
      'data elsewhere',
      parts,
      unsigned(good.replace('</saml:Issuer>', `</saml:Issuer>${once.replace(/<\/?saml:[^>]*>/g, '')}`)),
    ],
    [
      'two keys',
      more('EncryptedAssertion'),
      unsigned(once.replace(encryptedKey, encryptedKey + encryptedKey.replace('_key', '_b'))),
    ],
    [
      'a key inside and one beside',
      more('EncryptedAssertion'),
      unsigned(once.replace('</saml:Enc', `${encryptedKey.replace('_key', '_b')}</saml:Enc`)),
    ],
    [
      'a key for the key',
      more('EncryptedAssertion'),
      unsigned(once.replace('<xenc:CipherData>', `<ds:KeyInfo>${encryptedKey.replace('_key', '_b')}</ds:KeyInfo>$&`)),
    ],
    ['no key', more('EncryptedAssertion'), unsigned(once.replace(encryptedKey, ''))],
    ['no value', more('CipherData'), unsigned(once.replace(/<xenc:CipherValue>[^<]*<\/xenc:CipherValue>/, ''))],
    [
      'a value elsewhere',
      more('CipherData'),
      unsigned(once.replace(/<xenc:CipherValue>[^<]*<\/xenc:CipherValue>/, '<xenc:CipherReference URI="https://a"/>')),
    ],
    [
      'a value that is not Base64',
      more('CipherValue'),
      unsigned(once.replace(/(<xenc:CipherValue>)[^<]*/, '$1<!-- -->?')),
    ],
  ])('before decryption, to %s', async (_, detail, xml) => {
    expect(await refusal(check(xml, against))).toEqual(['signature', expect.stringMatching(detail)]);
  });

  it('to any change of what is decrypted, of which one in 16 has a right padding', async () => {
    const answers = new Set<string>();
    for (let change = 1; change < 32; change += 1) {
      const xml = unsigned(
        changed(cbc, (bytes) => {
          bytes.writeUInt8(bytes.readUInt8(bytes.length - 17) ^ change, bytes.length - 17);
          return bytes;
        }),
      );
      answers.add(JSON.stringify(await refusal(check(xml, against))));
    }
    expect([...answers]).toEqual([JSON.stringify(['signature', unreadable])]);
  });
});

describe('nothing is decrypted', () => {
  const watched = () => {
    const tried: Uint8Array[] = [];
    const mayTry = (encryptedKey: Uint8Array) => tried.push(encryptedKey) < 3;
    return { tried, against: { ...expected, decryption: { ...decryptionWith(ours), mayTry } } };
  };

  it('of a signed response that was changed on its way', async () => {
    const { tried, against } = watched();
    const once = hidden(clear);
    for (const xml of [
      wholly(once).replace(once, changed(once, flipped(-1))),
      wholly(once).replace(once, hidden(clear)),
      wholly(once).replace(once, hidden(signed(clear, 'Assertion', key))),
      signed(unsigned(once), 'Response', strangersKey),
    ]) {
      expect((await refusal(check(xml, against)))[0]).toBe('signature');
    }
    expect(tried).toEqual([]);
    expect(await check(wholly(once), against)).toMatchObject({ nameId: 'amy' });
    expect(tried).toHaveLength(1);
  });

  it('of an encrypted key that was tried too often, whatever came with it', async () => {
    const { tried, against } = watched();
    const once = hidden(good, { content: 'aes-128-cbc' });
    for (const at of [-17, -18]) {
      expect((await refusal(check(unsigned(changed(once, flipped(at))), against)))[0]).toBe('signature');
    }
    expect(await refusal(check(unsigned(once), against))).toEqual([
      'signature',
      'The same encrypted key has been used too often.',
    ]);
    expect(new Set(tried.map((each) => Buffer.from(each).toString('hex'))).size).toBe(1);
  });

  it('where there is no key', async () => {
    expect(await refusal(check(unsigned(hidden(good)), expected))).toEqual(['signature', unreadable]);
  });
});
