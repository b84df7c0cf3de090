// What `domain/gate/login-attempts.ts` promises: each tab keeps its own page, within the room that proxies give to cookies.

import { describe, expect, test } from 'vitest';
import {
  attemptCookie,
  beginAttempt,
  type LoginAttempt,
  readAttempts,
  targetInCookieMax,
  writeAttempt,
} from '../../../src/domain/gate/login-attempts.ts';

const cookie = '__Host-sallyport.edghtsrt_1';
const now = new Date('2026-06-01T12:00:00Z');
let secrets = 0;
const newSecret = () => {
  secrets += 1;
  return String(secrets).padStart(22, 'a');
};
const begin = (cookies: string, target: string, at = now) =>
  beginAttempt(cookies, cookie, { target, now: at }, newSecret);
const headerOf = (attempts: readonly LoginAttempt[]) =>
  attempts.map((each) => `${attemptCookie(cookie, each)}=${writeAttempt(each)}`).join('; ');
const targetsOf = (cookies: string) => readAttempts(cookies, cookie).map(({ target }) => target);

/** Begins attempts one after the other, as a browser that keeps every cookie. */
function beginAll(targets: readonly string[]): string {
  const jar = new Map<string, string>();
  const header = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  for (const [index, target] of targets.entries()) {
    const attempt = begin(header(), target, new Date(now.getTime() + index * 1000));
    jar.set(attemptCookie(cookie, attempt), writeAttempt(attempt));
  }
  return header();
}

describe('a browser', () => {
  test('keeps the target of each of ten tabs, whether they ask one after the other or all at once', () => {
    const targets = Array.from({ length: 10 }, (_, n) => `/tab${n}?a=b; Domain=example.com&c=\u00e9`);
    expect(targetsOf(beginAll(targets))).toEqual(targets);
    const together = headerOf(targets.map((target) => begin('', target)));
    expect(targetsOf(together)).toEqual(targets);
    expect(together).not.toMatch(/Domain|\u00e9/);
  });

  test('that begins more gives up the oldest, and never sends more than proxies take', () => {
    const targets = Array.from({ length: 100 }, (_, n) => `/tab${n}`);
    expect(targetsOf(beginAll(targets)).sort()).toEqual(targets.slice(-30).sort());
    const long = Array.from({ length: 100 }, (_, n) => `/${n}/`.padEnd(targetInCookieMax, 'x'));
    const header = beginAll(long);
    expect(header.length).toBeLessThan(6_000);
    expect(targetsOf(header)).toContain(long.at(-1));
    expect(headerOf(long.slice(0, 10).map((target) => begin('', target))).length).toBeLessThan(6_000);
  });

  test('leaves a target that is longer to the database', () => {
    expect(targetsOf(headerOf([begin('', 'a'.repeat(targetInCookieMax + 1))]))).toEqual(['']);
  });
});

test('a cookie under the name of another attempt, of another route, or that is malformed counts for nothing', () => {
  const one = begin('', '/one');
  const [name, value] = [attemptCookie(cookie, one), writeAttempt(one)];
  const other = attemptCookie(cookie, begin('', '/two'));
  expect(readAttempts(`${other}=${value}; ${name}=${value}x y; ${name}=; ${cookie}.login=${value}`, cookie)).toEqual(
    [],
  );
  expect(readAttempts(`${name}=${value}`, '__Host-sallyport.edghtsrt_2')).toEqual([]);
  expect(readAttempts(`${name}=${value}`, cookie)).toEqual([one]);
});
