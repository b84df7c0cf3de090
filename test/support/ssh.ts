// SSH keys for tests: fixed keys of hosts, and an authority with a fixed key.

import { ownerOf } from '../../src/storage/keys/secrets.ts';
import { commandLine } from '../../src/storage/trail/origin.ts';
import { plant } from './planting.ts';
import { accountOf, type TestService } from './service.ts';

const hostKeyOf = (algorithm: string, base64: string) => `${algorithm} ${base64}`;

/** A public host key of each supported kind. ssh-keygen generated them; nobody has the private keys. */
export const hostKeys = {
  ed25519: hostKeyOf('ssh-ed25519', 'AAAAC3NzaC1lZDI1NTE5AAAAIB8GxgH4pbxwnlJ4BVSbumev+OPn3b2anMhZjebFzuIv'),
  p256: hostKeyOf(
    'ecdsa-sha2-nistp256',
    'AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBLfS0RxpMTtpGpwlneYizWUoRGYbxOWllEfhpP8k7Jm+V6R5ufy6cxoFD2te' +
      'ujnu9HWrOaFS/Qv4yhGoPuu+5Zk=',
  ),
  p384: hostKeyOf(
    'ecdsa-sha2-nistp384',
    'AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBB9084XlpMUrV82obm4X9yDR/F4CzbvO1z0Lvhfkd7FG2fcsk73nqGCiGEIB' +
      '/jTIhSFa8lcQMkDIy/NT5di2InQrhDayMf1bPaloZFQzob2DIccZ3mn55DIGNDqpnSzKIw==',
  ),
  p521: hostKeyOf(
    'ecdsa-sha2-nistp521',
    'AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAAAIbmlzdHA1MjEAAACFBAEFLVQXk9cXEOltr6142yU+gdOBSi6E1uAFMEYzp/lsTq/05JODgfnOxHzg' +
      'vdIPS0OfMKJtNB2gTKMO8xWtgajaEwHbianEvcPqqXEXDzYMp1SJu/MVqAyqDOazIr0Y4XKBSPdjNP4EKmIWpMBhXW/kx1gMpjd4R2efCyGP2JZX' +
      'SlbRXA==',
  ),
  rsa: hostKeyOf(
    'ssh-rsa',
    'AAAAB3NzaC1yc2EAAAADAQABAAABAQDZahtAkGr8V/vrUHnfMms9G5pYv6fOSMzm6cC6F7mWObPidAPC8dpBjeRo5m840HcL0GcmP+t/x2QYY5Na' +
      '5dRXHlEIPKSQWHkbkL+p8HS6cNwNlziIOX0uu9uplO5JL5QLgTYqkQs60hrVmRKsygwcPYXxZbfZhzI/whM5T5HSMuUoxcVHHV9h/3IoxFqhxn+M' +
      'AlHou8czj0nVGr01GJ/j7dY3gWDmX/LEID/UioXRsoJf03rtOExtEZJKOHOD8QFTQGnE8PHyt5u8A8LSqFPBvEnSyt0eLnLii1nm3vrjwxUpdYKu' +
      '4YXGWeNk0GvYDdQHA6EcZfXY2cURq43Jx5o1',
  ),
} as const;

/** The body that creates each kind of authority. */
export const authorityKinds = {
  ed25519: {},
  p256: { private_key_type: 'ecdsa', elliptic_curve: 'p256' },
  p384: { private_key_type: 'ecdsa', elliptic_curve: 'p384' },
  p521: { private_key_type: 'ecdsa', elliptic_curve: 'p521' },
  'rsa 2048': { private_key_type: 'rsa', key_size: 2048 },
  'rsa 3072': { private_key_type: 'rsa', key_size: 3072 },
  'rsa 4096': { private_key_type: 'rsa', key_size: 4096 },
} as const;

/** Public key of the authority that `plantAuthority` creates. */
export const plantedPublicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c';

/**
 * Stores an authority with a known key, so that whole certificates can be compared: keys that the service generates are random.
 * Returns its id.
 */
export async function plantAuthority(service: TestService): Promise<string> {
  const scope = service.storage.actingFor(await accountOf(service), commandLine);
  const { accountId, newId, now, secrets } = scope;
  const id = newId('SshCertificateAuthority');
  const seed = Buffer.alloc(32, 1);
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  const sealedPrivateKey = secrets.seal(pkcs8, ownerOf('SshCertificateAuthority', id));
  const data = { id, accountId, createdAt: now(), keyType: 'ed25519', publicKey: plantedPublicKey, sealedPrivateKey };
  await plant(scope, 'SshCertificateAuthority', [data]);
  return id;
}
