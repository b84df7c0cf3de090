// What is shown of a call that waits for a second person.

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { shownInput } from '../../../src/areas/approvals/rules.ts';

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
