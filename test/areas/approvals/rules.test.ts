// What is shown of a call that waits for a second person.

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashOfCall, shownInput } from '../../../src/areas/approvals/rules.ts';

test('An input is shown with its fields in order and without its secrets', () => {
  expect(
    shownInput({ url: 'https://a.example', clientSecret: 'x', clientMutationId: '1', list: [{ token: null }] }),
  ).toBe('{"clientSecret":"(hidden)","list":[{"token":null}],"url":"https://a.example"}');
});

test('Of an input that is too long, the beginning is shown, and what tells it from any other', () => {
  const whole = `{"description":"${'é'.repeat(4_096)}"}`;
  expect(JSON.parse(shownInput(JSON.parse(whole)))).toEqual({
    beginning: `{"description":"${'é'.repeat(4_088)}`,
    bytes: 8_210,
    sha256: createHash('sha256').update(whole).digest('hex'),
  });
});

test('What a document calls its objects hides none of them from who approves, and nothing deeper in an input from the hash', () => {
  const role = { name: 'network', scopes: ['write'] };
  expect(shownInput({ document: { roles: { token: { ...role, privateKey: 'x' } } } })).toBe(
    '{"document":{"roles":{"token":{"name":"network","privateKey":"(hidden)","scopes":["write"]}}}}',
  );
  const hashOf = (document: object) => hashOfCall('person_1', 'applyConfiguration', { document });
  expect(hashOf({ roles: { clientMutationId: role } })).not.toBe(hashOf({ roles: {} }));
});

test('Of a document in parts, no text is shown, which may have secrets, but the hash is that of what they say', () => {
  const partWith = (clientSecret: string) =>
    JSON.stringify({ signInProviders: { sso: { name: 'SSO', clientSecret } } });
  const of = (secret: string) => ({ document: [partWith(secret), '{}'], carriesOut: { digest: 'd' } });
  expect(shownInput(of('x'))).toBe('{"carriesOut":{"digest":"d"},"document":"(in 2 parts)"}');
  const hashOf = (secret: string) => hashOfCall('person_1', 'applyConfiguration', of(secret));
  expect(hashOf('x')).not.toBe(hashOf('y'));
});
