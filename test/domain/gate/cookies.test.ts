// What `domain/gate/cookies.ts` and `domain/gate/session.ts` promise.

import { expect, test } from 'vitest';
import { isTarget, readCookies, sessionCookieName } from '../../../src/domain/gate/cookies.ts';
import { isUseDue } from '../../../src/domain/gate/session-rule.ts';

test.each([
  ['a=1', ['1']],
  [' a = 1 ', ['1']],
  ['b=2; a=1; a=3; a=1;\ta=', ['1', '3', '']],
  ['aa=2; xa=3;a=1=2', ['1=2']],
  // White space to JavaScript, but not to HTTP: such names are not ours, and any host of the domain can set them.
  ['\u00a0a=1; \ufeffa=1; \u2028a=1; \va=1', []],
  ['b=2', []],
  ['a', []],
  ['', []],
])('readCookies finds a in %j: %j', (header, values) => {
  expect(readCookies(header, 'a')).toEqual(values);
});

test.each([
  ['sallyport.', '__Host-sallyport.edghtsrt_1'],
  ['__Host-app.', '__Host-app.edghtsrt_1'],
  // Not every browser takes it for the prefix.
  ['__host-app.', '__Host-__host-app.edghtsrt_1'],
  ['__Secure-app.', '__Host-__Secure-app.edghtsrt_1'],
])('with the prefix %s, the session cookie is %s', (prefix, name) => {
  expect(sessionCookieName(prefix, 'edghtsrt_1')).toBe(name);
});

test.each([
  ['/', true],
  ['/a?b=c#d', true],
  ['//evil.example', false],
  ['/\\evil.example', false],
  ['/a\\b', false],
  ['https://evil.example', false],
  ['', false],
  ['/a b', false],
  ['/\r\nSet-Cookie: a=b', false],
  ['/é', false],
])('isTarget tells of %j: %j', (text, answer) => {
  expect(isTarget(text)).toBe(answer);
});

test('uses are written down once a minute, more often for short timeouts, and less where none matters', () => {
  const rule = { cookiePrefix: 'a', issuer: 'b', maximumSeconds: 0 };
  const due = (inactivitySeconds: number, seconds: number) =>
    isUseDue(new Date(0), { ...rule, inactivitySeconds }, new Date(seconds * 1000));
  const times = [due(3_600, 59), due(3_600, 60), due(40, 9), due(40, 10), due(0, 299), due(0, 300)];
  expect(times).toEqual([false, true, false, true, false, true]);
});

test('a header full of white space is read in linear time: in cubic time, this would take minutes', () => {
  expect(readCookies(`a=b;${' '.repeat(15_000)}__Host-a`, '__Host-a')).toEqual([]);
});
