// What `domain/saml/response.ts` promises: one way in, and every other response refused with its reason. All responses are
// signed by real keys; the clock is fixed.

import { describe, expect, it } from 'vitest';
import type { ExpectedLogin } from '../../../src/domain/saml/assertion.ts';
import { messageBytesMax, messageNodesMax } from '../../../src/domain/saml/message.ts';
import {
  assertionXml,
  attribute,
  encode,
  honest,
  idpEntityId,
  idpMetadata,
  makeIdpKey,
  persistent,
  readProvider,
  responseXml,
  type Spoken,
  shifted,
  signed,
  signedResponse,
  success,
} from '../../support/identity-provider.ts';
import {
  addressed,
  check,
  checkResponse,
  clockSkewMs,
  expected,
  key,
  now,
  refusal,
  spoken,
  strangersKey,
  urls,
} from './checked-response.ts';

const unspecified = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';
const unsolicited: ExpectedLogin = { ...expected, request: null, allowIdpInitiated: true };

/** Returns an honest response with some parts replaced, with the assertion signed. */
const saying = (other: Partial<Spoken>) => signedResponse({ ...spoken, ...other }, key);
/** Returns an honest response with a text replaced in one part before signing. */
const replaced = (part: keyof Spoken, from: string | RegExp, to: string) => {
  const text = spoken[part].replace(from, to);
  if (text === spoken[part]) throw new Error(`Nothing to replace in ${text}`);
  return saying({ [part]: text });
};

describe('checkResponse accepts', () => {
  it('an honest response, and gives all that it says', async () => {
    expect(await check(saying({}))).toEqual({
      nameId: 'amy',
      subject: 'amy',
      nameidFormat: persistent,
      nameQualifier: null,
      spNameQualifier: null,
      sessionIndex: '_session',
      sessionEndsAt: new Date('2026-06-01T20:00:00Z'),
      email: 'amy@example.com',
      name: null,
      groups: ['staff', 'admins'],
      attributeNames: ['groups', 'mail'],
      assertionId: '_assertion',
      issuedAt: now,
      usableUntil: new Date('2026-06-01T12:10:00Z'),
    });
  });

  const otherAudience = '<saml:AudienceRestriction><saml:Audience>a</saml:Audience><saml:Audience>';
  it.each([
    ['a signature around all of it as well', signed(saying({}), 'Response', key)],
    ['a signature around all of it alone', signed(responseXml(spoken, assertionXml(spoken)), 'Response', key)],
    [
      'RSA with SHA-256 and comments in its canonical form',
      signedResponse(spoken, key, { canonicalization: 'comments' }),
    ],
    [
      'comments in the canonical form of what is signed in the end',
      signedResponse(spoken, key, { signedInfo: 'comments' }),
    ],
    [
      'the inclusive canonical form',
      signed(responseXml(spoken, assertionXml(spoken)), 'Assertion', key, {
        canonicalization: 'inclusive',
        signedInfo: 'inclusive',
      }),
    ],
    ['no Destination', replaced('responseAttributes', / Destination="[^"]*"/, '')],
    ['an empty Destination', replaced('responseAttributes', / Destination="[^"]*"/, ' Destination=""')],
    [
      'times without a zone, which are in UTC',
      saying({
        conditions: spoken.conditions.replaceAll('.000Z"', '"'),
        statement: spoken.statement.replaceAll('.000Z"', '.000"'),
      }),
    ],
    ['RSA with SHA-384', signedResponse(spoken, key, { signature: 'rsa-sha384', digest: 'sha384' })],
    ['RSA with SHA-512', signedResponse(spoken, key, { signature: 'rsa-sha512', digest: 'sha512' })],
    ['RSA-PSS with SHA-384', signedResponse(spoken, key, { signature: 'rsa-pss-sha384' })],
    ['no issuer of the response', saying({ responseIssuer: '' })],
    ['one audience of several', replaced('conditions', '<saml:AudienceRestriction><saml:Audience>', otherAudience)],
    [
      'one confirmation of several',
      replaced('subject', '<saml:SubjectC', '<saml:SubjectConfirmation Method="a"/><saml:SubjectC'),
    ],
    ['a fraction of a second with seven digits', replaced('assertionAttributes', '.000Z', '.1234567Z')],
    ['no attributes', saying({ attributes: '' })],
    ['a condition of one use', replaced('conditions', '</saml:Conditions>', '<saml:OneTimeUse/></saml:Conditions>')],
    ['lines in it', saying({}).replace('<samlp:Status>', '\r\n<samlp:Status>')],
  ])('ok/%s', async (_, xml) => {
    expect(await check(xml)).toMatchObject({ nameId: 'amy', assertionId: '_assertion' });
  });

  it('Base64 in lines', async () => {
    const lines = encode(saying({})).replace(/.{76}/g, '$&\r\n');
    expect(await checkResponse(lines, expected, now)).toMatchObject({ nameId: 'amy' });
  });

  it('any of several keys, of which the metadata names some twice', async () => {
    const provider = readProvider(idpMetadata([strangersKey, strangersKey, key]));
    expect(provider.signingKeys).toHaveLength(2);
    expect(await check(saying({}), { ...expected, provider })).toMatchObject({ nameId: 'amy' });
  });

  it.each([
    ['prime256v1', 'ecdsa-sha256'],
    ['prime256v1', 'ecdsa-sha512'],
    ['secp384r1', 'ecdsa-sha384'],
    ['secp521r1', 'ecdsa-sha512'],
  ] as const)('a key on %s with %s, and no forgery of its signature', async (curve, signature) => {
    const own = makeIdpKey(undefined, curve);
    const against = { ...expected, provider: readProvider(idpMetadata([key, own])) };
    const xml = signedResponse(spoken, own, { signature });
    expect(await check(signed(xml, 'Response', own, { signature }), against)).toMatchObject({ nameId: 'amy' });
    expect((await refusal(check(xml.replace('>amy<', '>eve<'), against)))[0]).toBe('signature');
    const strangers = signedResponse(spoken, makeIdpKey(undefined, curve), { signature });
    expect((await refusal(check(strangers, against)))[0]).toBe('signature');
    // The name of another algorithm makes a key no other.
    const renamed = xml.replaceAll(signature, 'rsa-sha256');
    expect((await refusal(check(renamed, against)))[0]).toBe('signature');
  });

  it('an empty InResponseTo for none', async () => {
    const xml = signedResponse(honest({ ...addressed, inResponseTo: '' }), key);
    expect(await check(xml, unsolicited)).toMatchObject({ nameId: 'amy' });
  });

  it('a key whose certificate has expired: the metadata vouches for it', async () => {
    const old = makeIdpKey(new Date('1985-01-01T00:00:00Z'));
    const provider = readProvider(idpMetadata([old]));
    expect(await check(signedResponse(spoken, old), { ...expected, provider })).toMatchObject({ nameId: 'amy' });
  });

  it('an unsolicited response where that is allowed', async () => {
    const xml = signedResponse(honest({ ...addressed, inResponseTo: null }), key);
    expect(await check(xml, unsolicited)).toMatchObject({ nameId: 'amy' });
  });

  it('any format of the name where none in particular is expected', async () => {
    const against = { ...expected, nameidFormat: unspecified };
    expect(await check(saying({}), against)).toMatchObject({ nameidFormat: persistent });
    const without = replaced('subject', ` Format="${persistent}"`, '');
    expect(await check(without, against)).toMatchObject({ nameidFormat: unspecified });
  });

  it('clocks that differ by less than a minute', async () => {
    const end = now.getTime() + 300_000 + clockSkewMs;
    expect(await check(saying({}), expected, new Date(end - 1))).toMatchObject({ nameId: 'amy' });
    expect((await refusal(check(saying({}), expected, new Date(end))))[0]).toBe('expired');
    const begin = now.getTime() - clockSkewMs;
    expect(await check(saying({}), expected, new Date(begin))).toMatchObject({ nameId: 'amy' });
    expect((await refusal(check(saying({}), expected, new Date(begin - 1))))[0]).toBe('not_yet_valid');
  });
});

describe('checkResponse reads', () => {
  const person = async (attributes: string, subject: Partial<Spoken> = {}) => {
    const xml = saying({ ...subject, attributes: `<saml:AttributeStatement>${attributes}</saml:AttributeStatement>` });
    const { email, name, groups } = await check(xml, { ...expected, nameidFormat: unspecified });
    return { email, name, groups };
  };

  it('groups by every name that counts, each once, without white space around them', async () => {
    const attributes =
      attribute('groups', ' a\n', 'b,c', '', 'a') +
      attribute('groups', 'd') +
      attribute('memberOf', 'cn=e,dc=f') +
      attribute('http://schemas.microsoft.com/ws/2008/06/identity/claims/groups', '8f1d') +
      attribute('http://schemas.xmlsoap.org/claims/Group', 'Domain Users') +
      attribute('Groups', 'G') +
      attribute('isMemberOf', 'i') +
      attribute('urn:oid:1.3.6.1.4.1.5923.1.5.1.1', 'oid') +
      attribute('Role', 'R') +
      attribute('http://schemas.microsoft.com/ws/2008/06/identity/claims/role', 'mr') +
      attribute('http://schemas.xmlsoap.org/ws/2005/05/identity/claims/role', 'xr') +
      attribute('member', 'x') +
      attribute('groups&#x200b;', 'x');
    expect(await person(attributes)).toEqual({
      email: null,
      name: null,
      groups: ['a', 'b,c', 'd', 'G', 'cn=e,dc=f', 'i', 'oid', 'R', '8f1d', 'mr', 'Domain Users', 'xr'],
    });
  });

  it('the names of attributes, of which a bounded part is kept', async () => {
    const many = Array.from({ length: 40 }, (_, n) => attribute(`${n}​${'x'.repeat(200)}`, 'a')).join('');
    const xml = saying({ attributes: `<saml:AttributeStatement>${many}</saml:AttributeStatement>` });
    const { attributeNames } = await check(xml);
    expect([attributeNames.length, attributeNames[0]]).toEqual([30, `0\ufffd${'x'.repeat(98)}`]);
  });

  it('no group with control characters in it, and none out of nested elements', async () => {
    const nested = attribute('groups', `<saml:NameID>admins</saml:NameID>`, 'a&#10;b', 'c<!-- -->d');
    expect((await person(nested)).groups).toEqual(['cd']);
  });

  it('an e-mail address and a name', async () => {
    const oid = attribute('urn:oid:0.9.2342.19200300.100.1.3', 'oid@example.com');
    expect(await person(oid + attribute('displayName', 'Amy A.'))).toEqual({
      email: 'oid@example.com',
      name: 'Amy A.',
      groups: [],
    });
    const claim = attribute('http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name', 'amy');
    expect((await person(claim)).name).toBe('amy');
    expect((await person(claim + attribute('name', 'Amy A.'))).name).toBe('Amy A.');
    expect((await person(oid + attribute('email', ' first@example.com '))).email).toBe('first@example.com');
  });

  it('the e-mail address out of a name of that format', async () => {
    const subject = spoken.subject
      .replace(persistent, 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress')
      .replace('>amy<', '>amy@example.com<');
    expect((await person('', { subject })).email).toBe('amy@example.com');
  });

  it('nothing of the name of an attribute into the name of the person', async () => {
    const attributes = attribute('nameID', 'eve') + attribute('sessionIndex', 'eve') + attribute('inResponseTo', 'eve');
    const xml = saying({ attributes: `<saml:AttributeStatement>${attributes}</saml:AttributeStatement>` });
    expect(await check(xml)).toMatchObject({ nameId: 'amy', sessionIndex: '_session' });
  });

  it('the whole name, where a comment divides it', async () => {
    const divided = spoken.subject.replace('>amy<', '>amy<!-- -->.evil.example<');
    expect(await check(saying({ subject: divided }))).toMatchObject({ nameId: 'amy.evil.example' });
    const comments = signedResponse({ ...spoken, subject: divided }, key, { canonicalization: 'comments' });
    expect(await check(comments)).toMatchObject({ nameId: 'amy.evil.example' });
    // A comment inserted after signing: signatures do not cover comments, and the name is still read whole.
    const later = saying({}).replace('>amy<', '>a<!---->my<');
    expect(await check(later)).toMatchObject({ nameId: 'amy' });
  });

  it('the earliest end of all sessions, and of all times for which the assertion must be remembered', async () => {
    const second = `<saml:AuthnStatement AuthnInstant="${shifted(now, -5)}" SessionNotOnOrAfter="${shifted(now, 60)}"/>`;
    const { sessionEndsAt } = await check(saying({ statement: spoken.statement + second }));
    expect(sessionEndsAt).toEqual(new Date('2026-06-01T12:01:00Z'));
    const longLived = {
      subject: spoken.subject.replace(shifted(now, 300), '2999-01-01T00:00:00Z'),
      conditions: spoken.conditions.replace(` NotOnOrAfter="${shifted(now, 300)}"`, ''),
    };
    // With the largest clock skew that can be set, which may be set later.
    expect((await check(saying(longLived))).usableUntil).toEqual(new Date('2026-06-02T12:05:00Z'));
    // Of several confirmations, a later one may be valid for longer than the accepted one.
    const { conditions } = longLived;
    expect((await check(saying({ conditions }))).usableUntil).toEqual(new Date('2026-06-02T12:05:00Z'));
    const aDayLater = new Date(now.getTime() + 86_400_000 + clockSkewMs);
    expect(
      (
        await refusal(
          check(
            saying({ ...longLived, statement: spoken.statement.replace(shifted(now, 28_800), '2999-01-01T00:00:00Z') }),
            expected,
            aDayLater,
          ),
        )
      )[0],
    ).toBe('expired');
  });
});

describe('checkResponse refuses, signed by the right key', () => {
  const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
  it.each([
    ['another Issuer', 'issuer', replaced('issuer', idpEntityId, 'https://other.example')],
    ['another Issuer of the response', 'issuer', replaced('responseIssuer', idpEntityId, 'https://other.example')],
    ['no Issuer', 'malformed', saying({ issuer: '' })],
    ['two Issuers', 'malformed', saying({ issuer: `${spoken.issuer}${spoken.issuer}` })],
    ['another Recipient', 'destination', replaced('subject', '/acs"', '/other"')],
    ['no Recipient', 'destination', replaced('subject', / Recipient="[^"]*"/, '')],
    ['another Destination', 'destination', replaced('responseAttributes', '/acs"', '/other"')],
    ['another audience', 'audience', replaced('conditions', urls.entityId, 'https://other.example')],
    ['an audience that begins as ours', 'audience', replaced('conditions', urls.entityId, `${urls.entityId}1`)],
    ['no audience', 'audience', replaced('conditions', /<saml:AudienceRestriction>.*Restriction>/, '')],
    [
      'an audience in one restriction of two',
      'audience',
      replaced(
        'conditions',
        '</saml:Conditions>',
        '<saml:AudienceRestriction><saml:Audience>a</saml:Audience></saml:AudienceRestriction></saml:Conditions>',
      ),
    ],
    ['no Conditions', 'malformed', saying({ conditions: '' })],
    ['two Conditions', 'malformed', saying({ conditions: spoken.conditions + spoken.conditions })],
    ['conditions that are over', 'expired', replaced('conditions', shifted(now, 300), shifted(now, -60))],
    ['conditions that have not begun', 'not_yet_valid', replaced('conditions', shifted(now, -30), shifted(now, 61))],
    [
      'a condition that nobody knows',
      'confirmation',
      replaced('conditions', '</saml:Conditions>', '<saml:Condition/></saml:Conditions>'),
    ],
    ['a time that is none', 'malformed', replaced('conditions', shifted(now, 300), 'tomorrow')],
    ['no confirmation', 'confirmation', replaced('subject', /<saml:SubjectConfirmation .*SubjectConfirmation>/, '')],
    ['a confirmation of another method', 'confirmation', replaced('subject', bearer, `${bearer}2`)],
    ['a confirmation that is over', 'expired', replaced('subject', shifted(now, 300), shifted(now, -60))],
    ['a confirmation without an end', 'confirmation', replaced('subject', ` NotOnOrAfter="${shifted(now, 300)}"`, '')],
    [
      'a confirmation that has not begun',
      'not_yet_valid',
      replaced('subject', ' Recipient', ` NotBefore="${shifted(now, 61)}" Recipient`),
    ],
    ['a confirmation without data', 'malformed', replaced('subject', /<saml:SubjectConfirmationData [^>]*>/, '')],
    ['no subject', 'malformed', saying({ subject: '' })],
    ['no AuthnStatement', 'no_authentication', saying({ statement: '' })],
    ['an AuthnStatement without its instant', 'malformed', replaced('statement', / AuthnInstant="[^"]*"/, '')],
    ['a login in the future', 'not_yet_valid', replaced('statement', shifted(now, -5), shifted(now, 61))],
    ['a session that is over', 'expired', replaced('statement', shifted(now, 28_800), shifted(now, 0))],
    ['a name of another format', 'name_id', replaced('subject', 'persistent', 'transient')],
    ['a name without a format', 'name_id', replaced('subject', ` Format="${persistent}"`, '')],
    ['an empty name', 'name_id', replaced('subject', '>amy<', '> <')],
    ['a name in an element of its own', 'name_id', replaced('subject', '>amy<', '><b>amy</b><')],
    ['a name with a line feed', 'name_id', replaced('subject', '>amy<', '>amy&#10;X-Admin: 1<')],
    ['a name that is too long', 'name_id', replaced('subject', '>amy<', `>${'a'.repeat(1025)}<`)],
    ['two names', 'name_id', replaced('subject', '</saml:NameID>', '</saml:NameID><saml:NameID>eve</saml:NameID>')],
    ['no name', 'name_id', replaced('subject', /<saml:NameID .*NameID>/, '')],
    ['another version of the assertion', 'malformed', replaced('assertionAttributes', '2.0', '1.1')],
    ['another version of the response', 'malformed', replaced('responseAttributes', '2.0', '1.1')],
    ['an assertion of the future', 'not_yet_valid', replaced('assertionAttributes', shifted(now, 0), shifted(now, 61))],
    ['an assertion without its time', 'malformed', replaced('assertionAttributes', / IssueInstant="[^"]*"/, '')],
    ['an ID that is too long', 'malformed', signedResponse(spoken, key, {}, `_${'a'.repeat(1024)}`)],
    [
      'the answer to another request',
      'in_response_to',
      signedResponse(honest({ ...addressed, inResponseTo: '_other' }), key),
    ],
    ['the answer to none', 'unsolicited', signedResponse(honest({ ...addressed, inResponseTo: null }), key)],
    [
      'an answer of which only the assertion says so',
      'unsolicited',
      replaced('responseAttributes', ' InResponseTo="_request"', ''),
    ],
    [
      'an answer of which only the response says so',
      'in_response_to',
      replaced('subject', ' InResponseTo="_request"', ''),
    ],
    ['SHA-1 in the signature', 'weak_algorithm', signedResponse(spoken, key, { signature: 'rsa-sha1' })],
    ['SHA-1 in the digest', 'weak_algorithm', signedResponse(spoken, key, { digest: 'sha1' })],
    ['SHA-1 around the response', 'weak_algorithm', signed(saying({}), 'Response', key, { signature: 'rsa-sha1' })],
    [
      'a signed response without its Destination',
      'destination',
      signed(replaced('responseAttributes', / Destination="[^"]*"/, ''), 'Response', key),
    ],
  ])('fail/%s', async (_, reason, xml) => {
    expect((await refusal(check(xml)))[0]).toBe(reason);
  });

  it('a user who did not enter credentials again, although that was demanded', async () => {
    const against = { ...expected, forceAuthn: true };
    expect(await check(saying({}), against)).toMatchObject({ nameId: 'amy' });
    // The request was sent a minute before the response.
    const earlier = replaced('statement', shifted(now, -5), shifted(now, -121));
    expect(await check(earlier)).toMatchObject({ nameId: 'amy' });
    expect(await refusal(check(earlier, against))).toEqual([
      'not_fresh',
      'The user logged in at 2026-06-01T11:57:59.000Z, before the request.',
    ]);
  });

  it('an unsolicited response of a user who did not enter credentials for it, although that was demanded', async () => {
    const honestly = honest({ ...addressed, inResponseTo: null });
    const against = { ...unsolicited, forceAuthn: true };
    expect(await check(signedResponse(honestly, key), against)).toMatchObject({ nameId: 'amy' });
    const statement = honestly.statement.replace(shifted(now, -5), shifted(now, -61));
    expect((await refusal(check(signedResponse({ ...honestly, statement }, key), against)))[0]).toBe('not_fresh');
  });

  it('an unsolicited response where that is not allowed', async () => {
    const xml = signedResponse(honest({ ...addressed, inResponseTo: null }), key);
    expect((await refusal(check(xml, { ...unsolicited, allowIdpInitiated: false })))[0]).toBe('unsolicited');
  });

  it('the answer to a request as an unsolicited one, also after the id was taken off the response', async () => {
    expect((await refusal(check(saying({}), unsolicited)))[0]).toBe('in_response_to');
    const stripped = saying({}).replace(' InResponseTo="_request"', '');
    expect((await refusal(check(stripped, unsolicited)))[0]).toBe('in_response_to');
  });

  it("an unsolicited response with the id of the attacker's own request written on it", async () => {
    const xml = signedResponse(honest({ ...addressed, inResponseTo: null }), key);
    const written = xml.replace(' Destination=', ' InResponseTo="_request" Destination=');
    expect(await refusal(check(written))).toEqual([
      'in_response_to',
      'SubjectConfirmationData answers another request, or one that is over.',
    ]);
  });

  it('everything once the metadata has expired', async () => {
    const provider = readProvider(idpMetadata([key], ` validUntil="${shifted(now, 0)}"`));
    expect(await refusal(check(saying({}), { ...expected, provider }))).toEqual([
      'metadata_expired',
      'The metadata expired at 2026-06-01T12:00:00.000Z.',
    ]);
    expect(await check(saying({}), { ...expected, provider }, new Date(now.getTime() - 1000))).toMatchObject({
      nameId: 'amy',
    });
  });
});

describe('checkResponse refuses what is not signed, or not as a whole', () => {
  const evil = { ...spoken, subject: spoken.subject.replace('>amy<', '>eve<') };
  const good = signed(assertionXml(spoken), 'Assertion', key);
  const [signature = ''] = /<ds:Signature .*<\/ds:Signature>/s.exec(good) ?? [];
  const bare = good.replace(signature, '');
  const evilAssertion = (content: string, id = '_evil') =>
    assertionXml(evil, id).replace('</saml:Issuer>', `</saml:Issuer>${content}`);
  const wholly = signed(responseXml(spoken, assertionXml(spoken)), 'Response', key);
  const [wholeSignature = ''] = /<ds:Signature .*<\/ds:Signature>/s.exec(wholly) ?? [];
  const object = (content: string) =>
    signature.replace('</ds:Signature>', `<ds:Object>${content}</ds:Object></ds:Signature>`);
  const wholeObject = (content: string) =>
    wholeSignature.replace('</ds:Signature>', `<ds:Object>${content}</ds:Object></ds:Signature>`);
  const evilResponse = (content: string) => responseXml(evil, content, '_evil_response');

  it.each([
    ['no signature', 'signature', responseXml(spoken, assertionXml(spoken))],
    ['the signature of a stranger', 'signature', signedResponse(spoken, strangersKey)],
    [
      'the signature of a stranger around a good assertion',
      'signature',
      signed(responseXml(spoken, good), 'Response', strangersKey),
    ],
    [
      'a good signature around the assertion of a stranger',
      'signature',
      signed(signedResponse(spoken, strangersKey), 'Response', key),
    ],
    ['another name after signing', 'signature', responseXml(spoken, good.replace('>amy<', '>eve<'))],
    ['another group after signing', 'signature', responseXml(spoken, good.replace('>staff<', '>root<'))],
    ['another ID after signing', 'signature', responseXml(spoken, good.replace('ID="_assertion"', 'ID="_other"'))],
    [
      'another response after signing it',
      'signature',
      signed(responseXml(spoken, good), 'Response', key).replace(`Version="2.0"`, `Version="2.0" Consent="a"`),
    ],
    [
      'a digest in a comment',
      'signature',
      responseXml(spoken, good.replace('>amy<', '>eve<').replace('<ds:DigestValue>', '<ds:DigestValue><!--AAAA-->')),
    ],
    ['the signature of another assertion', 'signature', responseXml(spoken, evilAssertion(signature))],
    [
      'a signature that refers to all of the document',
      'signature',
      responseXml(spoken, good.replace('URI="#_assertion"', 'URI=""')),
    ],
    // The eight forms of signature wrapping (Somorovsky and others, "On Breaking SAML", 2012).
    [
      'wrapping 1: a response around the signed one, in its signature',
      'several_assertions',
      evilResponse(wholeObject(wholly.replace(wholeSignature, '')) + assertionXml(evil, '_evil')),
    ],
    [
      'wrapping 2: the signed response beside the signature',
      'several_assertions',
      evilResponse(wholly.replace(wholeSignature, '') + wholeSignature + assertionXml(evil, '_evil')),
    ],
    [
      'wrapping 3: an assertion before the signed one',
      'several_assertions',
      responseXml(spoken, assertionXml(evil, '_evil') + good),
    ],
    ['wrapping 4: the signed assertion within another', 'several_assertions', responseXml(spoken, evilAssertion(good))],
    [
      'wrapping 5: the signature in another assertion',
      'several_assertions',
      responseXml(spoken, evilAssertion(signature) + bare),
    ],
    [
      'wrapping 6: the signed assertion within the signature of another',
      'several_assertions',
      responseXml(spoken, evilAssertion(object(bare))),
    ],
    [
      'wrapping 7: the other assertion within extensions',
      'several_assertions',
      responseXml(spoken, `<samlp:Extensions>${assertionXml(evil, '_evil')}</samlp:Extensions>${good}`),
    ],
    [
      'wrapping 8: the signed assertion within an object of the signature',
      'several_assertions',
      responseXml(spoken, evilAssertion(object(bare.replace('xmlns:saml', 'xmlns:x="y" xmlns:saml')))),
    ],
    [
      'the other assertion in another namespace',
      'several_assertions',
      responseXml(
        spoken,
        `${assertionXml(evil, '_evil').replace('SAML:2.0:assertion"', 'SAML:1.0:assertion"')}${good}`,
      ),
    ],
    ['the assertion alone', 'malformed', good],
    [
      'the assertion deeper in the response',
      'malformed',
      responseXml(spoken, `<samlp:Extensions>${good}</samlp:Extensions>`),
    ],
    [
      'an assertion in another namespace',
      'malformed',
      responseXml(spoken, good.replaceAll('SAML:2.0:assertion', 'SAML:1.0:assertion')),
    ],
    ['two elements of one ID', 'signature', responseXml(spoken, good, '_assertion')],
    [
      'an ID in other letters',
      'signature',
      responseXml(spoken, `<samlp:Extensions><a Id="_assertion"/></samlp:Extensions>${good}`),
    ],
    [
      'two signatures of one assertion',
      'signature',
      responseXml(spoken, good.replace(signature, signature + signature)),
    ],
    [
      'a signature in another place',
      'signature',
      responseXml(spoken, `<samlp:Extensions>${signature}</samlp:Extensions>${bare}`),
    ],
    ['no assertion', 'no_assertion', responseXml(spoken, '')],
    [
      'an encrypted attribute',
      'encrypted',
      saying({ attributes: '<saml:AttributeStatement><saml:EncryptedAttribute/></saml:AttributeStatement>' }),
    ],
  ])('fail/%s', async (_, reason, xml) => {
    expect((await refusal(check(xml)))[0]).toBe(reason);
  });

  // A signature of the response alone counts for what it covers, and only there.
  const emptied = signed(responseXml(spoken, ''), 'Response', key);
  const [emptySignature = ''] = /<ds:Signature .*<\/ds:Signature>/s.exec(emptied) ?? [];
  const around = (content: string) => emptied.replace('</samlp:Response>', `${content}</samlp:Response>`);
  it.each([
    ['another name after signing', 'signature', wholly.replace('>amy<', '>eve<')],
    ['another group after signing', 'signature', wholly.replace('>staff<', '>root<')],
    ['another assertion after signing', 'signature', wholly.replace(assertionXml(spoken), assertionXml(evil, '_evil'))],
    ['an assertion put into it after signing', 'signature', around(assertionXml(evil))],
    ['another Destination after signing', 'signature', wholly.replace('/acs"', '/other"')],
    ['another ID after signing', 'signature', wholly.replace('ID="_response"', 'ID="_other"')],
    [
      'the signature of a stranger',
      'signature',
      signed(responseXml(spoken, assertionXml(spoken)), 'Response', strangersKey),
    ],
    ['the signature of an assertion', 'signature', responseXml(spoken, signature + bare)],
    ['a signature that refers to all of the document', 'signature', wholly.replace('URI="#_response"', 'URI=""')],
    [
      'its signature in an assertion',
      'signature',
      wholly.replace(wholeSignature, '').replace('</saml:Assertion>', `${wholeSignature}</saml:Assertion>`),
    ],
    [
      'another assertion beside the signed one',
      'several_assertions',
      around(assertionXml(spoken) + assertionXml(evil, '_evil')),
    ],
    [
      'wrapping 1: another response around it, in the signature',
      'several_assertions',
      evilResponse(wholeObject(wholly.replace(wholeSignature, '')) + assertionXml(evil, '_evil')),
    ],
    [
      'wrapping 2: another response around it, without its assertion',
      'signature',
      evilResponse(
        `${emptySignature}<samlp:Extensions>${emptied.replace(emptySignature, '')}</samlp:Extensions>${assertionXml(evil)}`,
      ),
    ],
    [
      'wrapping 3: the same, with the signature where it was',
      'signature',
      evilResponse(`<samlp:Extensions>${emptied}</samlp:Extensions>${assertionXml(evil)}`),
    ],
    [
      'wrapping 4: the same, with one ID for both',
      'signature',
      responseXml(
        evil,
        `${emptySignature}<samlp:Extensions>${emptied.replace(emptySignature, '')}</samlp:Extensions>${assertionXml(evil)}`,
      ),
    ],
    [
      'wrapping 5: the assertion in an object of the signature, which covers everything but itself',
      'malformed',
      emptied.replace('</ds:Signature>', `<ds:Object>${assertionXml(evil)}</ds:Object></ds:Signature>`),
    ],
    [
      'wrapping 6: the response that was signed in an object of the signature',
      'signature',
      evilResponse(
        emptySignature.replace(
          '</ds:Signature>',
          `<ds:Object>${emptied.replace(emptySignature, '')}</ds:Object></ds:Signature>`,
        ) + assertionXml(evil),
      ),
    ],
    [
      'the assertion deeper in it',
      'malformed',
      signed(responseXml(spoken, `<samlp:Extensions>${assertionXml(spoken)}</samlp:Extensions>`), 'Response', key),
    ],
    [
      'an assertion of another namespace in it',
      'malformed',
      signed(
        responseXml(spoken, assertionXml(spoken).replaceAll('SAML:2.0:assertion', 'SAML:1.0:assertion')),
        'Response',
        key,
      ),
    ],
    [
      'SHA-1 in its signature',
      'weak_algorithm',
      signed(responseXml(spoken, assertionXml(spoken)), 'Response', key, { signature: 'rsa-sha1' }),
    ],
  ])('fail/only the response signed: %s', async (_, reason, xml) => {
    expect((await refusal(check(xml)))[0]).toBe(reason);
  });

  it('nothing else where only the response is signed: what is read is what was signed', async () => {
    expect(await check(wholly.replace('>amy<', '>a<!---->my<'))).toEqual(await check(saying({})));
    const without = signed(responseXml(spoken, assertionXml({ ...spoken, conditions: '' })), 'Response', key);
    expect((await refusal(check(without)))[0]).toBe('malformed');
  });

  const [signedInfo = '', reference = ''] =
    /<ds:SignedInfo.*(<ds:Reference .*<\/ds:Reference>).*<\/ds:SignedInfo>/s.exec(good) ?? [];
  const [value = ''] = /<ds:SignatureValue>.*<\/ds:SignatureValue>/s.exec(good) ?? [];
  const tooMuch = 'The SignedInfo has more in it than SAML allows, or less.';
  const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';
  const transform = `<ds:Transform Algorithm="${exclusive}"/>`;
  /** Removes the prefix of the last element with a name, so that a declaration puts it into another namespace. */
  const elsewhere = (name: string, declaration: string) =>
    good.replace(new RegExp(`(.*)<ds:(${name} [^>]*)/>`, 's'), `$1<$2 ${declaration}/>`);
  const withTransform = (added: string) => good.replace('</ds:Transforms>', `${added}</ds:Transforms>`);
  const prefixes = (list: string) =>
    good.replace(
      /(<ds:CanonicalizationMethod [^>]*)\/>/,
      `$1><c:InclusiveNamespaces xmlns:c="${exclusive}" PrefixList="${list}"/></ds:CanonicalizationMethod>`,
    );
  it.each([
    ['two references', tooMuch, good.replace(reference, reference + reference)],
    ['1,000 references', tooMuch, good.replace(reference, reference + '<ds:Reference/>'.repeat(1000))],
    ['no reference', tooMuch, good.replace(reference, '')],
    ['three transforms', tooMuch, withTransform(transform)],
    ['1,000 transforms', tooMuch, withTransform('<ds:Transform/>'.repeat(1000))],
    ['a thing that nobody knows', tooMuch, good.replace('</ds:SignedInfo>', '<x/></ds:SignedInfo>')],
    ['a transform of another default namespace', tooMuch, elsewhere('Transform', 'xmlns="urn:x"')],
    ['a transform of no namespace', tooMuch, elsewhere('Transform', '')],
    ['a transform of the namespace of its parameters', tooMuch, elsewhere('Transform', `xmlns="${exclusive}"`)],
    ['a digest of another default namespace', tooMuch, elsewhere('DigestMethod', 'xmlns="urn:x"')],
    ['a list of prefixes of the namespace of signatures', tooMuch, prefixes('a').replace('<c:', '<ds:')],
    ['a long list of prefixes', tooMuch, prefixes('a '.repeat(30_000))],
    ['a long text', tooMuch, good.replace('</ds:SignedInfo>', `${' '.repeat(60_000)}</ds:SignedInfo>`)],
    ['itself in it', tooMuch, good.replace('</ds:SignedInfo>', `${signedInfo}</ds:SignedInfo>`)],
    [
      'another one beside it',
      'A signature must have one SignedInfo and one SignatureValue.',
      good.replace(signedInfo, signedInfo.replace('#_assertion', '#_other') + signedInfo),
    ],
    ['no value', 'A signature must have one SignedInfo and one SignatureValue.', good.replace(value, '')],
    [
      'a value in an object of the signature',
      'A signature must have one SignedInfo and one SignatureValue.',
      good.replace(value, `<ds:Object>${value}</ds:Object>`),
    ],
    [
      'a reference to the response',
      'The signature is not of the Assertion.',
      good.replace('URI="#_assertion"', 'URI="#_response"'),
    ],
    [
      'a transform that SAML does not allow',
      'The SignedInfo has a transform or a canonical form that SAML does not allow.',
      good.replace(/(Transform Algorithm=")[^"]*exc-c14n#/, '$1http://www.w3.org/TR/1999/REC-xslt-19991116'),
    ],
    [
      'another digest',
      'The signature was not made by a key of the metadata.',
      good.replace('<ds:DigestValue>', '<ds:DigestValue>A'),
    ],
  ])('a SignedInfo with %s, before anything is digested', async (_, detail, assertion) => {
    expect(assertion).not.toBe(good);
    expect(await refusal(check(responseXml(spoken, assertion)))).toEqual(['signature', detail]);
  });

  it('a stranger by the value of the signature alone, whatever else there is and however many keys there are', async () => {
    const keys = Array.from({ length: 4 }, () => makeIdpKey());
    const provider = readProvider(idpMetadata([...keys, key]));
    const attributes = `<saml:AttributeStatement>${attribute('groups', ...Array<string>(700).fill('a'))}</saml:AttributeStatement>`;
    const forged = signedResponse({ ...spoken, attributes }, strangersKey);
    const detail = 'The signature was not made by a key of the metadata.';
    expect(await refusal(check(forged, { ...expected, provider }))).toEqual(['signature', detail]);
    expect(await refusal(check(signed(forged, 'Response', key), { ...expected, provider }))).toEqual([
      'signature',
      detail,
    ]);
    expect(await check(saying({ attributes }), { ...expected, provider })).toMatchObject({ nameId: 'amy' });
  });

  it('a good signature of something else', async () => {
    const detail = 'The Assertion is not what was signed.';
    expect(await refusal(check(responseXml(spoken, good.replace('>amy<', '>eve<'))))).toEqual(['signature', detail]);
    const moved = evilAssertion(signature, '_assertion');
    expect(await refusal(check(responseXml(spoken, moved)))).toEqual(['signature', detail]);
  });

  it('what could be read in two ways before any signature is looked at', async () => {
    const moved = responseXml(spoken, `<samlp:Extensions>${signature}</samlp:Extensions>${bare}`);
    const place = ['signature', 'A signature is not where it must be.'];
    expect(await refusal(check(responseXml(spoken, good.replace(signature, signature + signature))))).toEqual(place);
    expect(await refusal(check(moved))).toEqual(place);
    expect(await refusal(check(responseXml(spoken, good, '_assertion')))).toEqual([
      'signature',
      'Two elements have one ID.',
    ]);
  });

  it('anything where the metadata has no certificate that can be read', async () => {
    const provider = readProvider(idpMetadata([{ ...key, certificatePem: 'AAAA' }]));
    expect(await refusal(check(saying({}), { ...expected, provider }))).toEqual([
      'signature',
      'The metadata has no signing key that can be used.',
    ]);
  });
});

describe('checkResponse refuses, whatever the signature', () => {
  /** Returns elements with the given number of attributes, which together exceed the nodes that a message may have. */
  const several = (attributes: number, attribute: (n: number) => string) =>
    `<a${Array.from({ length: attributes }, (_, n) => attribute(n)).join('')}/>`.repeat(
      Math.ceil(messageNodesMax / attributes),
    );
  const failed = (code: string) =>
    saying({
      status: spoken.status.replace(
        `Value="${success}"/`,
        `Value="${code}"><samlp:StatusCode Value="urn:b"/></samlp:StatusCode`,
      ),
    });

  it('a status that is not success, and says which', async () => {
    expect(await refusal(check(failed('urn:a')))).toEqual(['status', 'The status is urn:a, urn:b.']);
    const said = '</samlp:StatusCode><samlp:StatusMessage> No "assignment"\n for amy</samlp:StatusMessage>';
    const status = `<samlp:Status><samlp:StatusCode Value="urn:a">${said}</samlp:Status>`;
    expect(await refusal(check(saying({ status })))).toEqual([
      'status',
      'The status is urn:a: "No \\"assignment\\" for amy".',
    ]);
    expect((await refusal(check(saying({ status: '' }))))[0]).toBe('malformed');
    expect((await refusal(check(saying({ status: '<samlp:Status/>' }))))[0]).toBe('malformed');
    expect((await refusal(check(saying({ status: spoken.status + spoken.status }))))[0]).toBe('malformed');
  });

  it.each([
    ['nothing', 'malformed', ''],
    ['what is not Base64', 'malformed', '<samlp:Response/>'],
    ['Base64 with more after its end', 'malformed', `${encode('<a/>')}=a`],
    ['what is not UTF-8', 'malformed', Buffer.from([0xff, 0xfe]).toString('base64')],
    ['what is not XML', 'malformed', encode('hello')],
    ['a document type', 'malformed', encode(`<!DOCTYPE a>${saying({})}`)],
    ['an entity', 'malformed', encode(`<!DOCTYPE a [<!ENTITY b "amy">]>${saying({}).replace('>amy<', '>&b;<')}`)],
    ['another document', 'malformed', encode(idpMetadata([key]))],
    ['a request', 'malformed', encode(saying({}).replaceAll('samlp:Response', 'samlp:AuthnRequest'))],
    [
      'too many bytes',
      'too_large',
      encode(saying({}).replace('<samlp:Status>', `${' '.repeat(messageBytesMax)}<samlp:Status>`)),
    ],
    ['too many characters', 'too_large', `${encode(saying({}))}${' '.repeat(messageBytesMax * 2)}`],
    ['too many elements', 'too_large', encode(responseXml(spoken, '<a/>'.repeat(messageNodesMax)))],
    [
      'too many attributes',
      'too_large',
      encode(
        responseXml(
          spoken,
          several(60, (n) => ` a${n}="b"`),
        ),
      ),
    ],
    [
      'too many namespaces',
      'too_large',
      encode(
        responseXml(
          spoken,
          several(20, (n) => ` xmlns:a${n}="b"`),
        ),
      ),
    ],
    ['too many tags', 'malformed', encode(responseXml(spoken, '<a/>'.repeat(4_000)))],
    ['too many levels', 'malformed', encode(responseXml(spoken, '<a>'.repeat(40) + '</a>'.repeat(40)))],
  ])('fail/%s', async (_, reason, encoded) => {
    expect((await refusal(checkResponse(encoded, expected, now)))[0]).toBe(reason);
  });
});
