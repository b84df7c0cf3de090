// Which hosts and paths the gate accepts, and which it refuses because programs interpret them differently.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { comparableMatch, readHostport, readPath, splitUrl } from '../../../src/domain/gate/url.ts';
import { runs } from '../../support/runs.ts';

describe('a URL', () => {
  test.each([
    ['https://app.example.com/', { scheme: 'https', host: 'app.example.com', target: '/' }],
    ['https://app.example.com:443/a//b?c=/d', { scheme: 'https', host: 'app.example.com:443', target: '/a//b?c=/d' }],
    ['http://A.example/?x', { scheme: 'http', host: 'A.example', target: '/?x' }],
  ])('%s is split as it is', (url, parts) => {
    expect(splitUrl(url)).toEqual(parts);
  });

  test.each([
    '',
    '/',
    'app.example.com/',
    '//app.example.com/',
    'https://app.example.com',
    'https://app.example.com?x',
    'https://app.example.com#/',
    'https:///',
    'https:/app.example.com/',
    'HTTPS://app.example.com/',
    'https://user@app.example.com/',
    'https://app.example.com\\@evil.example/',
    ' https://app.example.com/',
    'https://app.example.com/\n',
  ])('%j is refused', (url) => {
    expect(splitUrl(url)).toBeNull();
  });
});

describe('a host', () => {
  test.each([
    ['https', 'app.example.com', 'app.example.com:443'],
    ['http', 'app.example.com', 'app.example.com:80'],
    ['wss', 'app.example.com', 'app.example.com:443'],
    ['ws', 'app.example.com', 'app.example.com:80'],
    ['https', 'APP.Example.COM:8443', 'app.example.com:8443'],
    ['http', 'localhost:4000', 'localhost:4000'],
  ])('with %s, %s is %s', (scheme, host, hostport) => {
    expect(readHostport(scheme, host)).toBe(hostport);
  });

  test.each([
    ['https', ''],
    ['https', 'app.example.com.'],
    ['https', '.example.com'],
    ['https', 'app..example.com'],
    ['https', 'app.example.com:'],
    ['https', 'app.example.com:0443'],
    ['https', 'app.example.com:443:443'],
    ['https', '*.example.com'],
    ['https', '[::1]:443'],
    ['https', 'app.example.com, evil.example'],
    ['https', 'app.example.com evil.example'],
    ['https', 'user@app.example.com'],
    ['https', 'app.example.com/'],
    ['https', 'app_example.com'],
    ['https', 'caf\u00e9.example.com'],
    ['ftp', 'app.example.com'],
    ['ftp', 'app.example.com:443'],
    ['HTTPS', 'app.example.com'],
    ['', 'app.example.com'],
  ])('with %j, %j is refused', (scheme, host) => {
    expect(readHostport(scheme, host)).toBeNull();
  });
});

describe('a path', () => {
  test.each([
    ['/', '/'],
    ['/a/b.c/', '/a/b.c/'],
    ['/a?//../%2f;', '/a'],
    ['/?', '/'],
    ['/%61dmin', '/admin'],
    ['/a%40b', '/a@b'],
    ['/a@b', '/a@b'],
    ['/caf%C3%A9', '/caf\u00e9'],
    ['/100%25', '/100%'],
    ['/a%20b', '/a b'],
    ['/~u/[x]|^', '/~u/[x]|^'],
    ['/.well-known/x', '/.well-known/x'],
    ['/a/...', '/a/...'],
    ['/%3Fx', '/?x'],
  ])('%s is read as %s', (target, path) => {
    expect(readPath(target, false)).toEqual({ path });
  });

  const characters = 'has characters that a path cannot have';
  const encoded = 'has an encoded slash, backslash or control character';
  const empty = 'has an empty segment';
  const dots = 'has a segment "." or ".."';
  const utf8 = 'is not correctly percent-encoded UTF-8';
  const semicolon = 'has a semicolon';
  test.each([
    ['', characters],
    ['*', characters],
    ['a', characters],
    ['?/a', characters],
    ['http://app.example.com/', characters],
    ['/a b', characters],
    ['/a\\..\\b', characters],
    ['/a#b', characters],
    ['/a\tb', characters],
    ['/a\0b', characters],
    ['/caf\u00e9', characters],
    ['/<b>', characters],
    ['//', empty],
    ['//evil.example', empty],
    ['/a//b', empty],
    ['/.', dots],
    ['/..', dots],
    ['/a/./b', dots],
    ['/a/../b', dots],
    ['/a/%2e%2E/b', dots],
    ['/a/.%2e', dots],
    ['/a/%2e', dots],
    ['/a%2fb', encoded],
    ['/a%2Fb', encoded],
    ['/a%5cb', encoded],
    ['/a%00b', encoded],
    ['/a%0d%0ab', encoded],
    ['/a%7fb', encoded],
    ['/a%252e%252e', 'is encoded twice'],
    ['/a%252fb', 'is encoded twice'],
    ['/a%25252fb', 'is encoded twice'],
    ['/a%2500', 'is encoded twice'],
    ['/a%253bb', 'is encoded twice'],
    ['/%2561dmin', 'is encoded twice'],
    // The digits are encoded as well.
    ['/a%25%32%65%25%32%65/b', 'is encoded twice'],
    ['/a%25%32%66..%25%32%66b', 'is encoded twice'],
    ['/%', utf8],
    ['/%2', utf8],
    ['/%zz', utf8],
    ['/%ff', utf8],
    ['/%c0%ae%c0%ae/b', utf8],
    ['/%ed%a0%80', utf8],
    ['/a;b', semicolon],
    ['/a%3bb', semicolon],
    ['/..;/b', semicolon],
  ])('%j is refused', (target, problem) => {
    expect(readPath(target, false)).toEqual({ problem });
  });

  test.each([
    ['/a;b=c/d', { path: '/a;b=c/d' }],
    ['/a%3bb', { path: '/a;b' }],
    ['/a/..;/b', { problem: dots }],
    ['/a/.;x/b', { problem: dots }],
    ['/a/%2e%2e%3b/b', { problem: dots }],
    ['/a/;/b', { problem: empty }],
    ['/;/b', { problem: empty }],
  ])('with semicolons allowed, %s is %j', (target, read) => {
    expect(readPath(target, true)).toEqual(read);
  });

  test('that is taken has no part that anybody could take for another one', () => {
    const part = fc.constantFrom(
      ...[
        '/',
        '.',
        '..',
        'a',
        '%2e',
        '%2f',
        '%5c',
        '\\',
        ';',
        '%',
        '%25',
        '%252e',
        '//',
        '?',
        '#',
        '\u00e9',
        '%c3%a9',
        '@',
      ],
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), fc.boolean(), (parts, allowSemicolon) => {
        const read = readPath(`/${parts.join('')}`, allowSemicolon);
        if ('problem' in read) return;
        // Node's URL parser resolves dots, turns backslashes into slashes and drops ignored characters.
        const sent = `/${parts.join('')}`.replace(/\?.*$/s, '');
        expect(decodeURIComponent(new URL(`http://h${sent}`).pathname)).toBe(read.path);
        expect(decodeURIComponent(read.path.replaceAll('%', '%25'))).not.toMatch(/\/\/|\/\.\.?(\/|$)|\\/);
      }),
      { numRuns: runs(2_000) },
    );
  });

  test.each([
    ['/caf%C3%A9', '/caf\u00e9'],
    ['/caf\u00e9', '/caf\u00e9'],
    ['/100%', '/100%'],
    ['/a b', '/a b'],
  ])('of a route, %s, is compared as %s', (match, path) => {
    expect(comparableMatch(match)).toBe(path);
  });
});
