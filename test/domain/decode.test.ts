// Decoding stored values: a value that would not pass its original check is reported as a broken invariant.

import { expect, test } from 'vitest';
import { readLabels } from '../../src/areas/backends/rules.ts';
import { readRules } from '../../src/areas/tls-edges/policy/endpoint-rule.ts';
import { isIdentityProvider } from '../../src/domain/saml/identity-provider.ts';
import { readAs } from '../../src/domain/values/decode.ts';

const rules = [
  { name: 'office', expressions: ['true'], actions: [{ type: 'log', config: { metadata: { a: [1, null] } } }] },
  { name: null, expressions: null, actions: [{ type: 'deny' }] },
  { actions: [] },
];

test('rules come back as they were stored', () => {
  expect(readRules(JSON.stringify(rules))).toEqual(rules);
});

test.each([
  '{"actions":[]}',
  'null',
  '[null]',
  '[{}]',
  '[{"actions":{}}]',
  '[{"actions":[{}]}]',
  '[{"actions":[{"type":1}]}]',
  '[{"actions":[],"name":1}]',
  '[{"actions":[],"expressions":"true"}]',
  '[{"actions":[],"expressions":[1]}]',
])('%s is not taken for rules', (text) => {
  expect(() => readRules(text)).toThrow('The database holds something else where there should be a list of rules.');
});

test.each(['[]', 'null', '"a"'])('%s is not taken for labels', (text) => {
  expect(() => readLabels(text)).toThrow('The database holds something else where there should be labels.');
});

const provider = {
  entityId: 'https://idp',
  validUntil: null,
  ssoServices: [{ binding: 'urn:post', location: 'https://idp/sso' }],
  signingCertificates: [{ fingerprint: 'AB', expiresAt: '2026-11-20T21:00:00Z' }],
  unreadableCertificates: 0,
};

test('an identity provider comes back as it was stored', () => {
  expect(readAs(provider, isIdentityProvider, 'an identity provider')).toBe(provider);
});

test.each([
  null,
  'text',
  [],
  {},
  { ...provider, entityId: 1 },
  { ...provider, validUntil: 1 },
  { ...provider, ssoServices: [{ binding: 'urn:post' }] },
  { ...provider, signingCertificates: [null] },
  { ...provider, unreadableCertificates: '0' },
])('%j is not taken for an identity provider', (stored) => {
  expect(() => readAs(stored, isIdentityProvider, 'an identity provider')).toThrow(
    'The database holds something else where there should be an identity provider.',
  );
});
