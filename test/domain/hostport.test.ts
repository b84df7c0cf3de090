// What `domain/values/hostport.ts` promises: which hosts and ports an edge may answer on.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkHostports, hostportsMax } from '../../src/domain/values/hostport.ts';
import { runs } from '../support/runs.ts';

describe('checkHostports', () => {
  const label63 = 'a'.repeat(63);
  const host253 = `${[label63, label63, label63].join('.')}.${'b'.repeat(61)}`;

  it.each([
    ['a host', 'example.com:443'],
    ['a host of one label', 'localhost:8443'],
    ['a wildcard', '*.example.com:443'],
    ['a wildcard of one label', '*.internal:443'],
    ['an international name as the DNS holds it', 'xn--bcher-kva.example:443'],
    ['a wildcard of an international name', '*.xn--fa-hia.xn--p1ai:443'],
    ['digits and dashes inside', '4-you.3com.com:443'],
    ['the lowest port', 'example.com:1'],
    ['the highest port', 'example.com:65535'],
    ['the longest label', `${label63}.com:443`],
    ['the longest host', `${host253}:65535`],
  ])('ok/%s', (_, hostport) => {
    expect(checkHostports([hostport])).toEqual([hostport]);
  });

  const form = 'must be a host and a port, such as example.com:443.';
  const port = 'must have a port from 1 to 65535, in plain digits.';
  const name =
    'must have a host name: labels of 1 to 63 letters, digits and inner dashes, between single dots, such as ' +
    'example.com:443.';
  const wildcard = 'must have a wildcard only as the whole first label: *.example.com:443.';
  const address = 'must name the host. A client that connects to an address sends no name (RFC 6066, section 3).';
  it.each([
    ['nothing', '', form],
    ['a host without a port', 'example.com', form],
    ['a port without a host', ':443', form],
    ['an IPv6 address without a port', 'fe80::1', form],
    ['an empty port', 'example.com:', port],
    ['port 0', 'example.com:0', port],
    ['port 65536', 'example.com:65536', port],
    ['a leading zero', 'example.com:0443', port],
    ['a sign', 'example.com:+443', port],
    ['a port in words', 'example.com:https', port],
    ['a line break at the end', 'example.com:443\n', port],
    [
      'digits of another script',
      'example.com:４４３',
      'must be ASCII. Send an international name in its xn-- form, as in the DNS.',
    ],
    [
      'an international name as people write it',
      'bücher.example:443',
      'must be ASCII. Send an international name in its xn-- form, as in the DNS.',
    ],
    ['capitals', 'Example.COM:443', 'must be in lower case, as edges compare it: write example.com:443.'],
    ['a wildcard alone', '*:443', wildcard],
    ['a wildcard inside', 'a.*.com:443', wildcard],
    ['a wildcard in a label', 'a*.example.com:443', wildcard],
    ['two wildcards', '*.*.example.com:443', wildcard],
    ['a wildcard without a host', '*.:443', name],
    ['a dot at the end', 'example.com.:443', name],
    ['a dot at the beginning', '.example.com:443', name],
    ['two dots', 'example..com:443', name],
    ['a dash at the end of a label', 'example-.com:443', name],
    ['a dash at the beginning of a label', '-example.com:443', name],
    ['an underscore', 'my_host.com:443', name],
    ['a space', 'example .com:443', name],
    ['a URL', 'https://example.com:443', name],
    ['two ports', 'example.com:443:443', name],
    ['a label of 64 letters', `${label63}a.com:443`, name],
    ...[
      ['is no name', 'xn--a'],
      ['encodes a number out of range', 'xn--99999999'],
      ['encodes a capital letter', 'xn--7ba'],
      ['encodes letters that are not composed', 'xn--e-xbb'],
      ['encodes a joiner that joins nothing', 'xn--1ug'],
      ['encodes letters of both directions', 'xn--a-0hc'],
    ].map(([what, label]) => [
      `an xn-- label that ${what}`,
      `www.${label}.example:443`,
      'must not have an xn-- label that does not encode an international name.',
    ]),
    ['an IPv4 address', '192.0.2.1:443', address],
    ['an IPv4 address in an odd form', '010.1:443', address],
    ['an IPv6 address', '[2001:db8::1]:443', address],
    ['an IPv6 address without brackets', '2001:db8::1:443', form],
    ['a host of 254 bytes', `${host253}b:443`, 'must have a host of at most 253 bytes.'],
    ['a very long text', 'a'.repeat(100_000), 'must be at most 259 bytes of UTF-8; it has 100000.'],
    ['NUL', 'example.com\u0000:443', 'must not contain the NUL character (U+0000).'],
  ])('refuses %s', (_, hostport, message) => {
    expect(() => checkHostports(['example.com:443', hostport])).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', field: 'hostports[1]', message }),
    );
  });

  it('keeps the order and drops repetitions', () => {
    expect(checkHostports(['b:1', 'a:1', 'b:1', 'b:2', 'a:1'])).toEqual(['b:1', 'a:1', 'b:2']);
  });

  it('takes an empty list, and as many as an edge may have', () => {
    const many = Array.from({ length: hostportsMax }, (_, index) => `h${index}:443`);
    expect(checkHostports([])).toEqual([]);
    expect(checkHostports(many)).toEqual(many);
  });

  it('takes only what a URL takes as its host and port, in the same spelling', () => {
    const piece = fc.constantFrom(
      'a',
      'z',
      '0',
      '9',
      '-',
      '.',
      '*',
      '_',
      ':',
      'A',
      'ü',
      'xn--',
      '443',
      '[',
      ']',
      '/',
      '@',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.nat(70_000), (pieces, port) => {
        const hostport = `${pieces.join('')}:${port}`;
        let taken: string[];
        try {
          taken = checkHostports([hostport]);
        } catch {
          return;
        }
        expect(taken).toEqual([hostport]);
        // `ws` has the default port 80, which the URL leaves out.
        const url = new URL(`ws://${hostport.replace('*.', 'w.')}`);
        expect(`${url.hostname}:${url.port || '80'}`).toBe(hostport.replace('*.', 'w.'));
      }),
      { numRuns: runs(2_000) },
    );
  });
});
