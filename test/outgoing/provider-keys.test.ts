// When the keys of a provider are asked for: soon enough for a new one, and no oftener than strangers may have it.

import { CompactSign, exportJWK, type JSONWebKeySet } from 'jose';
import { beforeAll, expect, test } from 'vitest';
import { createProviderKeys } from '../../src/outgoing/provider-keys.ts';
import { rsaKeyFromStock } from '../support/keys.ts';

const key = rsaKeyFromStock(2048, 'identity-provider');
let published: JSONWebKeySet['keys'][number];
beforeAll(async () => {
  const { n, e } = await exportJWK(key);
  published = { kty: 'RSA', ...(n !== undefined && { n }), ...(e !== undefined && { e }) };
});

/** Keys whose provider answers when it is told to, and whose clock only goes on while something waits. */
function start() {
  const clock = { ms: 0 };
  const answers: ((kids: readonly string[]) => void)[] = [];
  const fetched: number[] = [];
  const keys = createProviderKeys(
    () => {
      fetched.push(clock.ms);
      return new Promise((resolve) =>
        answers.push((kids) => resolve({ keys: kids.map((kid) => ({ ...published, kid })) })),
      );
    },
    () => clock.ms,
    async (ms) => {
      clock.ms += ms;
    },
  );
  const sign = (kid: string) => new CompactSign(Buffer.from('{}')).setProtectedHeader({ alg: 'RS256', kid }).sign(key);
  const verify = async (kid: string) => keys.verify(await sign(kid), { alg: 'RS256', kid });
  const answer = async (...kids: string[]) => {
    await expect.poll(() => answers.length).toBeGreaterThan(0);
    answers.shift()?.(kids);
  };
  return { clock, fetched, keys, sign, verify, answer };
}

test('one answer is for all that wait, and then for five minutes', async () => {
  const { clock, fetched, keys, verify, answer } = start();
  const waiting = [verify('a'), verify('a')];
  await answer('a');
  await Promise.all(waiting);
  clock.ms += 299_000;
  await verify('a');
  expect([fetched, await keys.has({ alg: 'RS256', kid: 'a' })]).toEqual([[0], true]);
  clock.ms += 1_000;
  expect(await keys.has({ alg: 'RS256', kid: 'a' })).toBe(false);
});

test('a new key is asked for at once; others that nobody knows only every five seconds, and all wait together', async () => {
  const { fetched, keys, sign, verify, answer } = start();
  const first = verify('a');
  await answer('a');
  await first;
  const second = verify('b');
  await answer('b');
  await second;
  for (const kid of ['x', 'y']) {
    const token = await sign(kid);
    const three = Array.from({ length: 3 }, () => keys.verify(token, { alg: 'RS256', kid }));
    const waiting = three.map((each) => each.catch(({ code }) => code));
    await answer('b');
    expect(await Promise.all(waiting)).toEqual(Array.from({ length: 3 }, () => 'ERR_JWKS_NO_MATCHING_KEY'));
  }
  expect(fetched).toEqual([0, 0, 5_000, 10_000]);
});

test('what is asked for already may be older than a new key, so that it is asked for once more', async () => {
  const { fetched, verify, answer } = start();
  const stranger = verify('x').catch(() => 'refused');
  await expect.poll(() => fetched.length).toBe(1);
  const late = verify('new');
  await answer('old');
  await answer('new');
  expect([await stranger, await late]).toEqual(['refused', undefined]);
});

test('a signature by another key is refused without asking', async () => {
  const { fetched, keys, verify, answer } = start();
  const first = verify('a');
  await answer('a');
  await first;
  const other = await new CompactSign(Buffer.from('{}'))
    .setProtectedHeader({ alg: 'RS256', kid: 'a' })
    .sign(rsaKeyFromStock(2048, 'server'));
  await expect(keys.verify(other, { alg: 'RS256', kid: 'a' })).rejects.toThrow('signature verification failed');
  expect(fetched).toEqual([0]);
});
