// The scopes of API keys, and what each of them allows.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  checkScopes,
  expiresSoon,
  formatScopes,
  impliedScopes,
  keyScopes,
  readScopes,
  widest,
} from '../../src/domain/access/key-scopes.ts';
import { root } from '../support/source-files.ts';

describe('the scopes', () => {
  test('are two for everything, two for each area, and narrow ones', () => {
    const folders = readdirSync(join(root, 'src/areas'), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    // A document of configuration has the rights of what it describes.
    const areas = folders.map(({ name }) => name).filter((name) => name !== 'configuration');
    areas.sort();
    expect(keyScopes).toEqual([
      'read',
      'write',
      ...areas.flatMap((area) => [`${area}:read`, `${area}:write`]),
      'ssh:enroll',
      'gate',
      'gate:pass',
    ]);
  });

  test('imply all that is narrower, and to read what may be changed', () => {
    expect(impliedScopes(['write'])).toEqual(new Set(keyScopes));
    expect(impliedScopes(['read'])).toEqual(new Set(keyScopes.filter((scope) => scope.endsWith('read'))));
    expect(impliedScopes(['ssh:read'])).toEqual(new Set(['ssh:read']));
    expect(impliedScopes(['ssh:write'])).toEqual(new Set(['ssh:read', 'ssh:write', 'ssh:enroll']));
    expect(impliedScopes(['https-edges:write'])).toEqual(
      new Set(['https-edges:read', 'https-edges:write', 'gate', 'gate:pass']),
    );
    expect(impliedScopes(['ssh:read', 'backends:write'])).toEqual(
      new Set(['ssh:read', 'backends:read', 'backends:write']),
    );
    expect(impliedScopes([])).toEqual(new Set());
    expect(impliedScopes(['ssh:enroll', 'gate'])).toEqual(new Set(['ssh:enroll', 'gate']));
    expect(impliedScopes(['gate:pass'])).toEqual(new Set(['gate:pass']));
  });
});

describe('checkScopes', () => {
  test('gives each scope once, in one order', () => {
    expect(checkScopes('scopes', ['ssh:write', 'read', 'ssh:write'])).toEqual(['read', 'ssh:write']);
  });

  test.each([[['Read']], [['ssh']], [['ssh:*']], [['ssh:gate']], [['enroll']], [['ssh:write read']], [['']]])(
    'refuses %j, and names the scopes that there are',
    (given) => {
      const message = `must be one of: ${keyScopes.join(', ')}.`;
      expect(() => checkScopes('scopes', ['read', ...given])).toThrow(
        expect.objectContaining({ code: 'INVALID_INPUT', field: 'scopes[1]', message }),
      );
    },
  );

  test('refuses none', () => {
    expect(() => checkScopes('scopes', [])).toThrow(
      expect.objectContaining({ message: 'must not be empty: a key without scopes could do nothing.' }),
    );
  });
});

test('widest leaves out what others imply', () => {
  expect(widest(['ssh:read', 'backends:read', 'ssh:write', 'ssh:read'])).toEqual(['backends:read', 'ssh:write']);
  expect(widest(['ssh:write', 'read'])).toEqual(['ssh:write', 'read']);
  expect(widest(['ssh:write', 'write', 'read'])).toEqual(['write']);
  expect(widest(['ssh:enroll', 'gate', 'ssh:write'])).toEqual(['gate', 'ssh:write']);
});

describe('readScopes', () => {
  test('reads what formatScopes writes', () => {
    expect(readScopes(formatScopes(keyScopes))).toEqual(keyScopes);
  });

  test('takes nothing for a right that it does not know', () => {
    expect(readScopes('ssh:sign ssh:read WRITE')).toEqual(['ssh:read']);
    expect(readScopes('')).toEqual([]);
    expect(readScopes('["write"]')).toEqual([]);
  });
});

test('a key expires soon in its last 14 days', () => {
  const end = new Date('2026-12-15T00:00:00Z');
  expect(expiresSoon(end, new Date('2026-11-30T23:59:59Z'))).toBe(false);
  expect(expiresSoon(end, new Date('2026-12-01T00:00:00Z'))).toBe(true);
});
