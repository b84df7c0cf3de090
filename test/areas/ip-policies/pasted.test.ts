// How the dashboard reads pasted lists of ranges.

import { describe, expect, test } from 'vitest';
import { mend, readPasted } from '../../../dashboard/src/areas/ip-policies/pasted.ts';

/** Returns the rules of a list, as `action cidr description` without what is not said. */
const rulesIn = (text: string) =>
  readPasted(text).rules.map(({ cidr, action, description }) => [action, cidr, description].filter(Boolean).join(' '));
const leftOutOf = (text: string) =>
  readPasted(text).leftOut.map(({ line, start, end, why }) => `${line} ${text.slice(start, end)}: ${why}`);

describe('a pasted list is read as it was meant', () => {
  test.each([
    [
      'ranges and addresses, one to a line',
      '10.0.0.0/8\n\n192.0.2.7\n2001:db8::7',
      ['10.0.0.0/8', '192.0.2.7/32', '2001:db8::7/128'],
    ],
    [
      'several on a line',
      '10.0.0.0/8 192.0.2.7, 192.0.2.8;192.0.2.9',
      ['10.0.0.0/8', '192.0.2.7/32', '192.0.2.8/32', '192.0.2.9/32'],
    ],
    [
      'comments',
      '# 10.0.0.0/8\n; 10.0.0.0/8\n192.0.2.7 # VPN; new\n192.0.2.8 ; was 192.0.2.1',
      ['192.0.2.7/32 VPN; new', '192.0.2.8/32 was 192.0.2.1'],
    ],
    [
      'a netmask, or a wildcard of a router',
      '10.0.0.0 255.0.0.0\n192.0.2.0/255.255.255.0\n198.51.100.0 0.0.0.255\n192.0.2.1 0.0.0.0\n0.0.0.0 0.0.0.0',
      ['10.0.0.0/8', '192.0.2.0/24', '198.51.100.0/24', '192.0.2.1/32', '0.0.0.0/0'],
    ],
    [
      'from one address to another',
      '192.0.2.0-192.0.2.255\n198.51.100.1 - 198.51.100.4\n203.0.113.8–11\n2001:db8::-2001:db8::ffff',
      ['192.0.2.0/24', '198.51.100.1/32', '198.51.100.2/31', '198.51.100.4/32', '203.0.113.8/30', '2001:db8::/112'],
    ],
    [
      'quoted columns',
      '"192.0.2.0/24","Office, Berlin #3"\nVPN,192.0.2.7\n"10.0.0.0","255.0.0.0","Lab"',
      ['192.0.2.0/24 Office, Berlin #3', '192.0.2.7/32 VPN', '10.0.0.0/8 Lab'],
    ],
    [
      'what a line allows or denies',
      'allow 192.0.2.0/24;\ndeny 192.0.2.66;\n10.0.0.0/8,deny,Guests\n"10.1.0.0/16","allow"\n192.0.2.9 deny of service',
      [
        'allow 192.0.2.0/24',
        'deny 192.0.2.66/32',
        'deny 10.0.0.0/8 Guests',
        'allow 10.1.0.0/16',
        '192.0.2.9/32 deny of service',
      ],
    ],
    [
      'JSON, and lines that end as on Windows',
      '["192.0.2.0/24", "2001:DB8::/32"]\r\n[2001:db8::7]\r\n',
      ['192.0.2.0/24', '2001:db8::/32', '2001:db8::7/128'],
    ],
    [
      'words beside it',
      'Office: 192.0.2.0/24\n192.0.2.7 the VPN (Berlin)',
      ['192.0.2.0/24 Office', '192.0.2.7/32 the VPN (Berlin)'],
    ],
  ])('%s', (_, text, rules) => {
    expect(rulesIn(text)).toEqual(rules);
    expect(leftOutOf(text)).toEqual([]);
  });
});

test.each([
  ['range,description\n192.0.2.7', '1 range,description: There is no address in it.'],
  ['192.0.2.256', '1 192.0.2.256: It is not an address or a range.'],
  [
    '10.1/16, 010.0.0.1',
    '1 10.1/16: It is not an address or a range.',
    '1 010.0.0.1: It is not an address or a range.',
  ],
  ['192.0.2.7/33', '1 192.0.2.7/33: Its mask is neither a number up to 32 nor a netmask.'],
  ['10.0.0.0/255.0.255.0', '1 10.0.0.0/255.0.255.0: Its mask is neither a number up to 32 nor a netmask.'],
  ['192.0.2.9-192.0.2.1', '1 192.0.2.9-192.0.2.1: It ends before it begins.'],
  ['192.0.2.9-2001:db8::', '1 192.0.2.9-2001:db8::: It does not end with an address like its first.'],
  ['192.0.2.7\n192.0.2.7/32', '2 192.0.2.7/32: Line 1 has 192.0.2.7/32 already.'],
  ['192.0.2.7/24 # VPN', '1 192.0.2.7/24: Its address lies within the range, which begins at 192.0.2.0/24.'],
])('it is told what of %j names no rule, by line, and why', (text, ...leftOut) => {
  expect(leftOutOf(text)).toEqual(leftOut);
});

test('ranges that begin elsewhere are mended in their places, and nothing else is', () => {
  const text = 'a 192.0.2.7/24, nonsense # one\n10.0.0.1 255.0.0.0\n192.0.2.256\n2001:db8::1/32';
  const mended = 'a 192.0.2.0/24, nonsense # one\n10.0.0.0/8\n192.0.2.256\n2001:db8::/32';
  expect(mend(text, readPasted(text).leftOut)).toBe(mended);
});
