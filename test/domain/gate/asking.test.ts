// Which proxies may ask the gate, for which clients, and how applications are told who sent a request.

import { describe, expect, test } from 'vitest';
import { identityHeaders } from '../../../src/domain/gate/identity.ts';
import { clientAddress, isProxy, readProxies } from '../../../src/domain/gate/proxies.ts';
import { readNode } from '../../../src/domain/ip/node-address.ts';

describe('proxies', () => {
  const proxies = readProxies(['127.0.0.0/8', '::1', '10.0.0.5', '2001:db8::/32']);
  test.each([
    ['127.0.0.1', true],
    ['::ffff:127.0.0.1', true],
    ['::1', true],
    ['10.0.0.5', true],
    ['10.0.0.6', false],
    ['2001:db8:1::1', true],
    ['2001:db9::1', false],
    ['::2', false],
  ])('%s is one: %s', (text, expected) => {
    const address = readNode(text);
    expect(address !== null && isProxy(proxies, address)).toBe(expected);
  });

  test('may be none', () => {
    expect(isProxy(readProxies([]), readNode('127.0.0.1') ?? expect.fail())).toBe(false);
  });

  test.each([
    ['203.0.113.7', '203.0.113.7'],
    [' 203.0.113.7 ', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db9::7', '2001:db9::7'],
    // Entries before the last one that is not a proxy may be forged by the client.
    ['198.51.100.1, 203.0.113.7', '203.0.113.7'],
    ['nonsense, 203.0.113.7, 10.0.0.5', '203.0.113.7'],
    ['127.0.0.1, 203.0.113.7,10.0.0.5 , 127.0.0.1', '203.0.113.7'],
    ['10.0.0.5, 127.0.0.1', '10.0.0.5'],
    ['203.0.113.7:51234', '203.0.113.7'],
    ['203.0.113.7:1, [::1]:443, 10.0.0.5:80', '203.0.113.7'],
    ['[2001:db9::7]', '2001:db9::7'],
    ['[2001:db9::7]:443', '2001:db9::7'],
    ['[::ffff:203.0.113.7]:443', '203.0.113.7'],
    ['"[2001:db9::7]:443"', '2001:db9::7'],
    // Without brackets, this is no port.
    ['2001:db9::7:443', '2001:db9::7:443'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[fe80::1%25eth0]:443', 'fe80::1'],
  ])('%j comes from %s', (forwardedFor, client) => {
    expect(clientAddress(forwardedFor, proxies)?.toString()).toBe(client);
  });

  test.each([
    '',
    ' ',
    ',',
    '203.0.113.7,',
    'unknown',
    '203.0.113.7, nonsense',
    '203.0.113.7:',
    '203.0.113.7:123456',
    '203.0.113.7%eth0',
    '[203.0.113.7]:80',
    '[2001:db9::7',
    '2001:db9::7]:443',
    '[2001:db9::7]443',
    '[fe80::1%]',
    '2001:db9::1%eth0',
    '::ffff:203.0.113.7%eth0',
    '010.0.0.1',
    '10.1',
    '10.1:80',
    '_hidden',
    'for=203.0.113.7',
  ])('%j comes from nobody that could be told', (forwardedFor) => {
    expect(clientAddress(forwardedFor, proxies)).toBeNull();
  });
});

describe('identity headers', () => {
  test('are all there, and empty for nobody', () => {
    expect(identityHeaders(null)).toEqual([
      ['Remote-User', ''],
      ['Remote-Groups', ''],
      ['Remote-Email', ''],
      ['Remote-Name', ''],
    ]);
  });

  test('separate groups with commas, and encode what would change on the way', () => {
    const session = {
      user: 'CN=Jo, O=Example',
      email: 'jo@example.com',
      name: 'J\u00f6 \u{1f600} 100%\r\n',
      attributeNames: null,
      groups: ['staff', 'Domain Admins', 'a,b', '50%', '/caf\u00e9', ' padded ', '\ud800', ''],
    };
    expect(identityHeaders(session)).toEqual([
      ['Remote-User', 'CN=Jo, O=Example'],
      ['Remote-Groups', 'staff,Domain Admins,a%2Cb,50%25,/caf%C3%A9,%20padded%20,%EF%BF%BD,'],
      ['Remote-Email', 'jo@example.com'],
      ['Remote-Name', 'J%C3%B6 %F0%9F%98%80 100%25%0D%0A'],
    ]);
  });
});
