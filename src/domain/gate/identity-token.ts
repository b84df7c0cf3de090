// The signed identity that an application can check by itself: a JWT (RFC 7519) with ES256 (RFC 7518, section 3.4). The keys follow
// from the secret key of the database and from the time: all servers have the same ones, and nothing has to be stored. Pure.

import { createECDH, createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { remembering } from '../concurrency/remember.ts';
import { dayMs } from '../values/time.ts';
import type { Session } from './login.ts';
import { originOf } from './url.ts';

/** How long a token is valid, in seconds. */
const validSeconds = 60;

/** How long a key signs. The next one is published all that time, and the former one for as long again. */
export const keyMs = 30 * dayMs;

/** The public part of a key (RFC 7517). */
interface PublicKey {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  readonly kid: string;
  readonly alg: 'ES256';
  readonly use: 'sig';
}

interface IdentityKey {
  readonly jwk: PublicKey;
  readonly privateKey: KeyObject;
  /** The first part of the tokens that it signs. */
  readonly head: string;
}

/** The order of the curve P-256 (SEC 2, section 2.4.2). */
const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551');

/** Makes a key from 512 random bits: with that many more than it has, it is as good as any (FIPS 186-5, A.2.1). */
function makeKey(seed: Uint8Array): IdentityKey {
  const scalar = (BigInt(`0x${Buffer.from(seed).toString('hex')}`) % (order - 1n)) + 1n;
  const d = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex');
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(d);
  // An uncompressed point: a byte that says so, and the two coordinates.
  const point = pair.getPublicKey();
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
  // RFC 7638: the members in this order.
  const thumbprint = createHash('sha256').update(JSON.stringify({ crv: 'P-256', kty: 'EC', x, y }));
  const kid = thumbprint.digest('base64url');
  return {
    jwk: { kty: 'EC', crv: 'P-256', x, y, kid, alg: 'ES256', use: 'sig' },
    privateKey: createPrivateKey({ key: { kty: 'EC', crv: 'P-256', x, y, d: d.toString('base64url') }, format: 'jwk' }),
    head: encoded({ alg: 'ES256', typ: 'JWT', kid }),
  };
}

/** How many keys are remembered: those that are published, in both halves of the memory. */
const keysMax = 12;

export interface IdentityKeys {
  /** Returns the key that signs at a time. */
  at(ms: number): IdentityKey;
  /** Returns the keys that applications need to know at a time: the former one, the one that signs, and the next. */
  publishedAt(ms: number): readonly PublicKey[];
}

/**
 * Creates the keys.
 *
 * @param codeOf returns 256 bits for a text that nobody can guess without the secret key
 */
export function createIdentityKeys(codeOf: (text: string) => Uint8Array): IdentityKeys {
  const keyNamed = remembering((name) => makeKey(Buffer.concat([codeOf(`${name} 1`), codeOf(`${name} 2`)])), keysMax);
  const keyOf = (period: number) => keyNamed(String(period));
  const periodAt = (ms: number) => Math.floor(ms / keyMs);
  return {
    at: (ms) => keyOf(periodAt(ms)),
    publishedAt: (ms) => [-1, 0, 1].map((offset) => keyOf(periodAt(ms) + offset).jwk),
  };
}

export interface TokenAudience {
  readonly edgeId: string;
  /** `host:port` */
  readonly hostport: string;
}

/** Longest list of groups in a token, as JSON: with more, the head of a request would be longer than servers accept. */
const groupsCharactersMax = 4_096;

/**
 * Signs who has sent a request, for one audience. Takes a tenth of a millisecond.
 *
 * @param baseUrl scheme and host of our own pages
 */
export function signIdentity(
  keys: IdentityKeys,
  session: Session,
  audience: TokenAudience,
  baseUrl: string,
  nowMs: number,
): string {
  return signed(keys.at(nowMs), claimsOf(session, audience, baseUrl, nowMs));
}

function claimsOf(session: Session, { edgeId, hostport }: TokenAudience, baseUrl: string, nowMs: number): object {
  const { user, email, name, groups, sessionId } = session;
  const issuedAt = Math.floor(nowMs / 1000);
  const isShort = JSON.stringify(groups).length <= groupsCharactersMax;
  return {
    // With the edge: another account may have an edge with the same host.
    iss: `${baseUrl}/gate/${edgeId}`,
    aud: originOf(hostport).replace('https://', ''),
    iat: issuedAt,
    exp: issuedAt + validSeconds,
    sub: user,
    ...(email === null ? {} : { email }),
    ...(name === null ? {} : { name }),
    ...(isShort ? { groups } : { groups_left_out: true }),
    ...(sessionId === undefined ? { program: true } : { sid: sessionId }),
  };
}

function signed({ head, privateKey }: IdentityKey, claims: object): string {
  const text = `${head}.${encoded(claims)}`;
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
