// Addresses at which servers listen.

import { expect, test } from 'vitest';
import { checkServerAddress } from '../../src/domain/values/server-address.ts';

test.each([
  ...['..:80', 'a..b:80', '.a:80', 'a.:80', '-:80', '-a:80', 'a-:80', ':80', '999.1.1.1:80', '127.1:80', '0x7f:80'],
  ...['[fe80::1%25eth0]:80', '[fe80::1%eth0]:80', '[127.0.0.1]:80', '[]:80', '::1:80', `${'a'.repeat(64)}:80`],
])('%s is no address of a server', (address) => {
  expect(() => checkServerAddress('service', address)).toThrow('must be a host and a port, such as');
});

test.each(['app:80', 'my_app:80', 'a-b.c1:80', '4-you.3com:80', '127.0.0.1:80', '[::1]:80', '[::ffff:192.0.2.1]:80'])(
  '%s is the address of a server',
  (address) => {
    expect(checkServerAddress('service', address)).toBe(address);
  },
);
