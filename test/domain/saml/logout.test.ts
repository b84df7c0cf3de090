// What `domain/saml/logout.ts` and `logout-message.ts` promise: signed logout messages are read, and all others refused. Messages
// are signed by real keys; the clock is fixed.

import { createPublicKey } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  checkLogoutRequest,
  checkLogoutResponse,
  logoutMsMax,
  writeLogoutRequest,
  writeLogoutResponse,
} from '../../../src/domain/saml/logout.ts';
import { type ArrivedMessage, readPosted, readRedirected } from '../../../src/domain/saml/logout-message.ts';
import { messageBytesMax, messageNodesMax } from '../../../src/domain/saml/message.ts';
import { LoginRefusal } from '../../../src/domain/saml/refusal.ts';
import { serviceProviderUrls } from '../../../src/domain/saml/service-provider.ts';
import { clockSkewMsMax, clockSkewSeconds } from '../../../src/domain/saml/times.ts';
import {
  decryptionWith,
  encode,
  encrypted,
  honestLogout,
  idpMetadata,
  logoutXml,
  makeIdpKey,
  persistent,
  readProvider,
  type SpokenLogout,
  shifted,
  signed,
  signedQuery,
  success,
} from '../../support/identity-provider.ts';
import { rsaKeyFromStock } from '../../support/keys.ts';

const now = new Date('2026-06-01T12:00:00Z');
const key = makeIdpKey();
const strangersKey = makeIdpKey();
const provider = readProvider(idpMetadata([strangersKey, key]));
const keys = [createPublicKey(key.privateKey)];
const skewMs = clockSkewSeconds.default * 1000;
const urls = serviceProviderUrls('https://sallyport.example', 'edghtsrt_1');
const ours = rsaKeyFromStock(2048, 'server');
const expected = { provider, urls, decryption: decryptionWith(ours) };
const spoken = honestLogout(urls.singleLogout, now);
const xml = logoutXml(spoken);

const form = (fields: Record<string, string>) => readPosted(new URLSearchParams(fields));
const posted = (text: string) => form({ SAMLRequest: encode(text) });
const check = (arrived: ArrivedMessage, at = now) =>
  checkLogoutRequest(arrived.verify(keys), expected, { now: at, skewMs });

/** Returns the reason of a refusal. */
function reasonOf(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    if (error instanceof LoginRefusal) return error.reason;
    throw error;
  }
  return 'accepted';
}

const request = {
  id: spoken.id,
  nameId: 'amy',
  sessionIndexes: ['_session'],
  issuedAt: now,
  usableUntil: new Date(now.getTime() + logoutMsMax + clockSkewMsMax),
};

describe('a request to log out is read', () => {
  it('from a form, signed as a whole', () => {
    expect(check(posted(signed(xml, 'LogoutRequest', key)))).toEqual(request);
  });

  it('with an encrypted name', () => {
    const named = spoken.content.replace(/<saml:NameID.*NameID>/, (name) =>
      encrypted('EncryptedID', name, createPublicKey(ours)),
    );
    expect(check(posted(signed(logoutXml({ ...spoken, content: named }), 'LogoutRequest', key)))).toEqual(request);
  });

  it('from a query, with the state that goes back', () => {
    const arrived = readRedirected(signedQuery(xml, key, 'a state+/='));
    expect([check(arrived), arrived.relayState]).toEqual([request, 'a state+/=']);
  });

  it('from a query in the order and with the escapes of others, as long as what is signed stands as it was sent', () => {
    const lower = signedQuery(xml, key).replace(/%[0-9A-F]{2}/g, (pair) => pair.toLowerCase());
    expect(reasonOf(() => check(readRedirected(lower)))).toBe('signature');
    const [message, algorithm, signature] = signedQuery(xml, key).split('&');
    expect(check(readRedirected(`${signature}&tenant=1&${algorithm}&${message}`))).toEqual(request);
  });

  it('by any key of the metadata', () => {
    const arrived = posted(signed(xml, 'LogoutRequest', key));
    expect(checkLogoutRequest(arrived.verify(provider.signingKeys), expected, { now, skewMs })).toEqual(request);
  });

  it('with no session, or several, and the whole name where a comment divides it', () => {
    const content = `<saml:NameID>a<!-- -->my</saml:NameID>`;
    const sessions = '<samlp:SessionIndex>a</samlp:SessionIndex><samlp:SessionIndex> b </samlp:SessionIndex>';
    const read = (text: string) => check(posted(signed(logoutXml({ ...spoken, content: text }), 'LogoutRequest', key)));
    expect(read(content)).toMatchObject({ nameId: 'amy', sessionIndexes: [] });
    expect(read(content + sessions)).toMatchObject({ sessionIndexes: ['a', 'b'] });
  });

  it('until it is five minutes old, or over by its own words', () => {
    const at = (seconds: number) => new Date(now.getTime() + seconds * 1000);
    const arrived = () => readRedirected(signedQuery(xml, key));
    expect(reasonOf(() => check(arrived(), at(359)))).toBe('accepted');
    expect(reasonOf(() => check(arrived(), at(360)))).toBe('expired');
    expect(reasonOf(() => check(arrived(), at(-60)))).toBe('accepted');
    expect(reasonOf(() => check(arrived(), at(-61)))).toBe('not_yet_valid');
    const attributes = `${spoken.attributes} NotOnOrAfter="${shifted(now, 10)}"`;
    const short = () => readRedirected(signedQuery(logoutXml({ ...spoken, attributes }), key));
    expect(reasonOf(() => check(short(), at(69)))).toBe('accepted');
    expect(reasonOf(() => check(short(), at(70)))).toBe('expired');
  });
});

/** Returns an honest request with a text replaced before signing. */
const saying = (part: keyof SpokenLogout, from: string | RegExp, to: string) => {
  const text = spoken[part].replace(from, to);
  if (text === spoken[part]) throw new Error(`Nothing to replace in ${text}`);
  return logoutXml({ ...spoken, [part]: text });
};

describe('a request is refused, signed by the right key, that', () => {
  it.each([
    ['comes from another identity provider', 'issuer', saying('issuer', 'idp.example', 'evil.example')],
    ['names no issuer', 'malformed', logoutXml({ ...spoken, issuer: '' })],
    ['was sent elsewhere', 'destination', saying('attributes', 'edghtsrt_1', 'edghtsrt_2')],
    ['was sent nowhere', 'destination', saying('attributes', / Destination="[^"]*"/, '')],
    ['has no time', 'malformed', saying('attributes', / IssueInstant="[^"]*"/, '')],
    ['has no id', 'malformed', xml.replace(/ ID="[^"]*"/, '')],
    ['is of another version', 'malformed', saying('attributes', '2.0', '1.1')],
    ['names nobody', 'name_id', saying('content', /<saml:NameID.*NameID>/, '')],
    ['names an empty name', 'name_id', saying('content', '>amy<', '> <')],
    ['names two users', 'name_id', saying('content', '<samlp:Se', '<saml:NameID>eve</saml:NameID><samlp:Se')],
    ['has an empty encrypted name', 'signature', saying('content', /<saml:NameID.*NameID>/, '<saml:EncryptedID/>')],
    ['names too many sessions', 'too_large', saying('content', /<samlp:Se.*/, '<samlp:SessionIndex/>'.repeat(101))],
    ['is another message', 'malformed', xml.replaceAll('LogoutRequest', 'AuthnRequest')],
    ['is of another namespace', 'malformed', xml.replace('SAML:2.0:protocol', 'SAML:1.0:protocol')],
  ])('%s', (_, reason, text) => {
    expect(reasonOf(() => check(readRedirected(signedQuery(text, key))))).toBe(reason);
  });
});

describe('a form is refused', () => {
  const good = signed(xml, 'LogoutRequest', key);
  const signature = /<ds:Signature.*<\/ds:Signature>/s.exec(good)?.[0] ?? '';
  const evil = xml.replace('>amy<', '>eve<').replace(spoken.id, '_evil');
  const inside = (outer: string, inner: string) =>
    outer.replace('</samlp:LogoutRequest>', `${inner}</samlp:LogoutRequest>`);

  it.each([
    ['without a signature', 'signature', xml],
    ['by a stranger', 'signature', signed(xml, 'LogoutRequest', strangersKey)],
    ['that was changed', 'signature', good.replace('>amy<', '>eve<')],
    ['with the signature taken off', 'signature', good.replace(signature, '')],
    ['with SHA-1', 'weak_algorithm', signed(xml, 'LogoutRequest', key, { signature: 'rsa-sha1' })],
    ['with a digest by SHA-1', 'weak_algorithm', signed(xml, 'LogoutRequest', key, { digest: 'sha1' })],
    ['that wraps a signed one', 'signature', inside(evil, good)],
    [
      'that wraps a signed one, in an extension',
      'signature',
      inside(evil, `<samlp:Extensions>${good}</samlp:Extensions>`),
    ],
    [
      'that carries the signature of another',
      'signature',
      evil.replace('</saml:Issuer>', `</saml:Issuer>${signature}`),
    ],
    [
      'that wraps a signed one in its own signature',
      'signature',
      evil.replace(
        '</saml:Issuer>',
        `</saml:Issuer>${signature.replace('</ds:Signature>', `<ds:Object>${xml}</ds:Object></ds:Signature>`)}`,
      ),
    ],
    [
      'with two elements of one id',
      'signature',
      good.replace('<samlp:SessionIndex>', `<samlp:SessionIndex ID="${spoken.id}">`),
    ],
    ['with two signatures', 'signature', good.replace(signature, signature + signature)],
    ['with a document type', 'malformed', `<!DOCTYPE a>${good}`],
    ['that is no XML', 'malformed', 'hello'],
    ['of too many bytes', 'too_large', `${' '.repeat(messageBytesMax)}${good}`],
    ['of too many elements', 'too_large', inside(good, '<a/>'.repeat(messageNodesMax))],
  ])('%s', (_, reason, text) => {
    expect(reasonOf(() => posted(text).verify(keys))).toBe(reason);
  });

  it('with two messages, none, or two states', () => {
    expect(reasonOf(() => form({ SAMLRequest: encode(good), SAMLResponse: encode(good) }))).toBe('malformed');
    expect(reasonOf(() => form({ RelayState: 'a' }))).toBe('malformed');
    const twice = new URLSearchParams({ SAMLRequest: encode(good) });
    twice.append('SAMLRequest', encode(good));
    expect(reasonOf(() => readPosted(twice))).toBe('malformed');
    const states = new URLSearchParams([
      ['SAMLRequest', encode(good)],
      ['RelayState', 'a'],
      ['RelayState', 'b'],
    ]);
    expect(reasonOf(() => readPosted(states))).toBe('malformed');
    expect(reasonOf(() => form({ SAMLRequest: encode(good), RelayState: 'a'.repeat(1_025) }))).toBe('malformed');
    expect(reasonOf(() => form({ SAMLRequest: '<' }).verify(keys))).toBe('malformed');
  });
});

describe('a query is refused', () => {
  const good = signedQuery(xml, key, 'state');
  const evilMessage = encodeURIComponent(deflateRawSync(xml.replace('>amy<', '>eve<')).toString('base64'));
  const without = (name: string) => good.replace(new RegExp(`&${name}=[^&]*`), '');
  const sha1 = encodeURIComponent('http://www.w3.org/2000/09/xmldsig#rsa-sha1');

  it.each([
    ['without a signature', 'signature', without('Signature')],
    ['without an algorithm', 'signature', without('SigAlg')],
    ['without either', 'signature', without('Signature').replace(/&SigAlg=[^&]*/, '')],
    ['without the state that was signed', 'signature', without('RelayState')],
    ['with another state', 'signature', good.replace('RelayState=state', 'RelayState=other')],
    ['with another message', 'signature', good.replace(/SAMLRequest=[^&]*/, `SAMLRequest=${evilMessage}`)],
    ['as a response', 'signature', good.replace('SAMLRequest', 'SAMLResponse')],
    ['by a stranger', 'signature', signedQuery(xml, strangersKey)],
    ['with SHA-1', 'weak_algorithm', signedQuery(xml, key, '', 'rsa-sha1')],
    ['under the name of SHA-1', 'weak_algorithm', good.replace(/SigAlg=[^&]*/, `SigAlg=${sha1}`)],
    ['under an algorithm for which anybody has the key', 'weak_algorithm', good.replace('rsa-sha256', 'hmac-sha256')],
    ['with two signatures', 'signature', `${good}&Signature=AAAA`],
    ['with two algorithms', 'signature', `${good}&SigAlg=${sha1}`],
    ['with two messages', 'malformed', `${good}&SAMLRequest=${evilMessage}`],
    ['with a response beside it', 'malformed', `${good}&SAMLResponse=${evilMessage}`],
    ['with two states', 'malformed', `${good}&RelayState=a`],
    ['with an unknown encoding', 'malformed', `${good}&SAMLEncoding=urn%3Aother`],
    ['without a message', 'malformed', 'RelayState=a'],
    ['that is empty', 'malformed', ''],
    ['with broken escapes', 'malformed', good.replace(/Signature=.*/, 'Signature=%zz')],
    ['with a signature in it as well', 'signature', signedQuery(signed(xml, 'LogoutRequest', key), key)],
    ['with a document type', 'malformed', signedQuery(`<!DOCTYPE a>${xml}`, key)],
    ['of what grows too large', 'malformed', signedQuery(`${xml}${' '.repeat(1_000_000)}`, key)],
  ])('%s', (_, reason, query) => {
    expect(reasonOf(() => readRedirected(query).verify(keys))).toBe(reason);
  });

  it('where the metadata has no key', () => {
    expect(reasonOf(() => readRedirected(good).verify([]))).toBe('signature');
    expect(reasonOf(() => posted(signed(xml, 'LogoutRequest', key)).verify([]))).toBe('signature');
  });
});

describe('a response to our request', () => {
  const isOurs = (id: string) => id === '_ours';
  const answer = honestLogout(urls.singleLogout, now, '_ours');
  const judge = (other: Partial<SpokenLogout>) => () => {
    const arrived = readRedirected(signedQuery(logoutXml({ ...answer, ...other }), key));
    checkLogoutResponse(arrived.verify(keys), expected, isOurs, { now, skewMs });
  };
  const status = (...codes: string[]) =>
    `<samlp:Status>${codes.map((code) => `<samlp:StatusCode Value="${code}">`).join('')}${'</samlp:StatusCode>'.repeat(codes.length)}</samlp:Status>`;
  const responder = 'urn:oasis:names:tc:SAML:2.0:status:Responder';
  const partial = 'urn:oasis:names:tc:SAML:2.0:status:PartialLogout';

  it.each<[string, string, Partial<SpokenLogout>]>([
    ['says that the user is logged out', 'accepted', {}],
    ['answers a request that is not ours', 'in_response_to', { attributes: answer.attributes.replace('_ours', '_a') }],
    ['answers none', 'in_response_to', { attributes: answer.attributes.replace(' InResponseTo="_ours"', '') }],
    ['says that it failed', 'status', { content: status(responder) }],
    ['says that not all have answered', 'status', { content: status(success, partial) }],
    ['says nothing', 'malformed', { content: '' }],
    ['is a request', 'malformed', { name: 'LogoutRequest' }],
    ['comes from elsewhere', 'issuer', { issuer: '<saml:Issuer>a</saml:Issuer>' }],
  ])('%s: %s', (_, reason, other) => {
    expect(reasonOf(judge(other))).toBe(reason);
  });
});

describe('our own messages', () => {
  const head = { id: '_a1', sentAt: now, destination: 'https://idp.example.com/slo', issuer: urls.entityId };

  it('ask to log out the user as the identity provider named him', () => {
    const user = {
      nameId: 'amy',
      nameidFormat: persistent,
      nameQualifier: 'idp',
      spNameQualifier: null,
      sessionIndex: '_s',
    };
    expect(writeLogoutRequest(head, user)).toEqual({
      parameter: 'SAMLRequest',
      id: '_a1',
      xml:
        '<samlp:LogoutRequest ID="_a1" Version="2.0" IssueInstant="2026-06-01T12:00:00Z" ' +
        'Destination="https://idp.example.com/slo" NotOnOrAfter="2026-06-01T12:05:00Z" ' +
        'Reason="urn:oasis:names:tc:SAML:2.0:logout:user" xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol">' +
        `<saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${urls.entityId}</saml:Issuer>` +
        `<saml:NameID NameQualifier="idp" Format="${persistent}" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">amy</saml:NameID>` +
        '<samlp:SessionIndex>_s</samlp:SessionIndex></samlp:LogoutRequest>',
    });
    expect(writeLogoutRequest(head, { ...user, sessionIndex: null }).xml).not.toContain('SessionIndex');
  });

  it('say that a user is logged out', () => {
    expect(writeLogoutResponse(head, '_theirs')).toEqual({
      parameter: 'SAMLResponse',
      id: '_a1',
      xml:
        '<samlp:LogoutResponse ID="_a1" Version="2.0" IssueInstant="2026-06-01T12:00:00Z" ' +
        'Destination="https://idp.example.com/slo" InResponseTo="_theirs" xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol">' +
        `<saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${urls.entityId}</saml:Issuer>` +
        `<samlp:Status><samlp:StatusCode Value="${success}"/></samlp:Status></samlp:LogoutResponse>`,
    });
  });
});
