// An OpenID provider for tests: real TLS, real keys, real tokens, and answers that an honest one would never give.

import { createHash, createHmac, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { certifyKey } from '../../src/domain/saml/signing-key.ts';
import { rsaKeyFromStock } from './keys.ts';

/** What the provider tells about a user, or instead of it. Each test changes the part that it is about. */
export interface Lie {
  /** Claims of the ID token that are changed; undefined removes one. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  /** How the token is signed: by the published key, by another one, with its public key or the client's secret as a secret, or not at all. */
  readonly signedBy?: 'key' | 'other key' | 'public key' | 'secret' | 'nobody';
  /** What is changed in the document of discovery. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly userInfo?: Readonly<Record<string, unknown>>;
  /** Whether it never answers where codes are redeemed. */
  readonly isSilent?: boolean;
  /** Whether it does not answer where its keys are asked for, until it lies otherwise. */
  readonly hidesKeys?: boolean;
  /** Parameters of its answer that are changed; undefined removes one. */
  readonly answer?: Readonly<Record<string, string | undefined>>;
}

export const clientId = 'sallyport';
export const clientSecret = 'a secret of the client';

/** A running provider. */
export interface OpenIdProvider {
  readonly issuer: string;
  /** The paths that were asked for, in order. */
  readonly asked: string[];
  /** What it does from now on. */
  lie(lie: Lie): void;
  /** Signs with a new key from now on, and publishes only that. */
  roll(): void;
  /** Logs a user in: returns the URL at which it sends the browser back from an authorization request. */
  answer(request: URL): URL;
  /** Makes a logout token of `amy-1`, with changed claims; undefined removes one. `lie` changes its header and signature. */
  logoutToken(claims?: Readonly<Record<string, unknown>>): string;
  close(): Promise<void>;
}

/** Starts a provider on a port of this machine. Its certificate is signed by itself. */
export async function startOpenIdProvider(now: () => Date): Promise<OpenIdProvider> {
  const tls = rsaKeyFromStock(2048, 'server');
  const { certificatePem } = certifyKey('signing', tls, 'localhost', randomBytes(16), new Date('2026-01-01T00:00:00Z'));
  const keys = [1, 2, 3].map(() => rsaKeyFromStock(2048, 'identity-provider'));
  let current = 0;
  let lie: Lie = {};
  const codes = new Map<string, { readonly nonce: string; readonly challenge: string; readonly redirectUri: string }>();
  const asked: string[] = [];
  const hanging = new Set<ServerResponse>();
  const keyAt = (index: number): KeyObject => keys[index % keys.length] ?? tls;
  const jwk = (key: KeyObject) => {
    const { n, e } = key.export({ format: 'jwk' });
    return { kty: 'RSA', n, e };
  };

  const signToken = (typ: string, claims: Readonly<Record<string, unknown>>): string => {
    const { signedBy = 'key' } = lie;
    const algorithms = { key: 'RS256', 'other key': 'RS256', 'public key': 'HS256', secret: 'HS256', nobody: 'none' };
    const header = { alg: algorithms[signedBy], kid: `k${current}`, typ, ...lie.header };
    const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    const publicPem = createPublicKey(keyAt(current)).export({ format: 'pem', type: 'spki' });
    const signatures = {
      key: () => sign('sha256', Buffer.from(signed), keyAt(current)),
      'other key': () => sign('sha256', Buffer.from(signed), keyAt(current + 1)),
      'public key': () => createHmac('sha256', publicPem).update(signed).digest(),
      secret: () => createHmac('sha256', clientSecret).update(signed).digest(),
      nobody: () => Buffer.alloc(0),
    };
    return `${signed}.${signatures[signedBy]().toString('base64url')}`;
  };
  const times = () => {
    const seconds = Math.floor(now().getTime() / 1000);
    return { iat: seconds, exp: seconds + 300 };
  };
  const idToken = (nonce: string): string =>
    signToken('JWT', {
      iss: issuer,
      aud: clientId,
      sub: 'amy-1',
      ...times(),
      nonce,
      email: 'amy@example.com',
      email_verified: true,
      name: 'Amy',
      groups: ['staff', 'admins'],
      sid: 'session-1',
      ...lie.claims,
    });

  const server = createServer({ key: tls.export({ format: 'pem', type: 'pkcs8' }), cert: certificatePem });
  server.on('request', async (request, reply) => {
    const { pathname } = new URL(request.url ?? '/', issuer);
    asked.push(pathname);
    let body = '';
    for await (const piece of request) body += String(piece);
    const send = (value: object, status = 200) => {
      reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    if (pathname === '/.well-known/openid-configuration') {
      return send({
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        userinfo_endpoint: `${issuer}/me`,
        end_session_endpoint: `${issuer}/end`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        ...lie.metadata,
      });
    }
    if (pathname === '/jwks' && lie.hidesKeys) {
      hanging.add(reply);
      return;
    }
    if (pathname === '/jwks')
      return send({ keys: [{ ...jwk(keyAt(current)), kid: `k${current}`, use: 'sig', alg: 'RS256' }] });
    if (pathname === '/me') return send({ sub: 'amy-1', ...lie.userInfo });
    if (pathname !== '/token') return send({}, 404);
    if (lie.isSilent) return;
    const form = new URLSearchParams(body);
    const code = form.get('code') ?? '';
    const known = codes.get(code);
    codes.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const credentials = `Basic ${Buffer.from(`${clientId}:${clientSecret.replaceAll(' ', '+')}`).toString('base64')}`;
    if (request.headers.authorization !== credentials) return send({ error: 'invalid_client' }, 401);
    const isRight = known?.challenge === challenge && known.redirectUri === form.get('redirect_uri');
    if (known === undefined || !isRight) return send({ error: 'invalid_grant' }, 400);
    send({ access_token: 'access', token_type: 'Bearer', expires_in: 300, id_token: idToken(known.nonce) });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const issuer = `https://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  return {
    issuer,
    asked,
    lie(next) {
      lie = next;
      for (const reply of hanging) reply.destroy();
      hanging.clear();
    },
    roll() {
      current += 1;
    },
    answer({ searchParams: query }) {
      const code = randomBytes(16).toString('hex');
      const redirectUri = query.get('redirect_uri') ?? '';
      codes.set(code, { nonce: query.get('nonce') ?? '', challenge: query.get('code_challenge') ?? '', redirectUri });
      const back = new URL(redirectUri);
      const answer = { code, state: query.get('state') ?? '', ...lie.answer };
      for (const [name, value] of Object.entries(answer)) if (value !== undefined) back.searchParams.set(name, value);
      return back;
    },
    logoutToken: (claims = {}) =>
      signToken('logout+jwt', {
        iss: issuer,
        aud: clientId,
        ...times(),
        jti: randomBytes(16).toString('hex'),
        sub: 'amy-1',
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
        ...claims,
      }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
