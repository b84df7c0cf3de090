// `oidc-provider` as a process of its own, with one user and one client: node openid-provider.js SETTINGS
//
// SETTINGS is a file with JSON: issuer, port, key, certificate, client, and the address of Sallyport for each of its names. SIGHUP
// makes it sign with a new key, and put all claims into ID tokens.

import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { createServer, request as requestHttps } from 'node:https';
import Provider from 'oidc-provider';

const read = () => JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const { issuer, port, key, certificate } = read();

const users = {
  amy: {
    sub: 'amy-at-the-provider',
    email: 'amy@example.com',
    email_verified: true,
    name: 'Amy',
    groups: ['staff', 'admins'],
  },
};

/** The newest first, which signs. */
const keys = [];

function createProvider(isConform) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  keys.unshift({ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' });
  return new Provider(issuer, {
    clients: [read().client],
    jwks: { keys },
    cookies: { keys: ['a key of cookies that stays'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    conformIdTokenClaims: isConform,
    pkce: { required: () => true },
    interactions: { url: (_context, { uid }) => `/login/${uid}` },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        logoutSource(context, form) {
          context.body = `<!doctype html>${form}<button id="out" form="op.logoutForm" name="logout" value="yes">Log out</button>`;
        },
      },
    },
    async findAccount(_context, id) {
      const user = Object.values(users).find(({ sub }) => sub === id);
      return user && { accountId: id, claims: async () => user };
    },
    // No page that asks for consent.
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
    // Its own way of sending refuses addresses of this machine.
    fetch(url, { method, headers, body }) {
      const { origin, host, pathname } = new URL(url);
      const at = read().redirect[origin] ?? origin;
      const sent = {
        method,
        headers: { ...Object.fromEntries(new Headers(headers)), host },
        rejectUnauthorized: false,
      };
      return new Promise((resolve, reject) => {
        const request = at.startsWith('https:') ? requestHttps : requestHttp;
        request(at + pathname, sent, (answer) => {
          answer.resume();
          resolve(new Response(null, { status: answer.statusCode }));
        })
          .on('error', reject)
          .end(String(body));
      });
    },
  });
}

let provider = createProvider(true);
process.on('SIGHUP', () => {
  provider = createProvider(false);
  process.stdout.write('rolled\n');
});

const form = `<!doctype html><title>Log in</title><form method="post">
<input id="username" name="username"><input id="password" name="password" type="password"><button>Log in</button></form>`;
createServer({ key, cert: certificate }, async (request, reply) => {
  if (!request.url?.startsWith('/login/')) return provider.callback()(request, reply);
  if (request.method !== 'POST') return reply.setHeader('Content-Type', 'text/html').end(form);
  let body = '';
  for await (const piece of request) body += piece;
  const user = users[new URLSearchParams(body).get('username') ?? ''];
  await provider.interactionFinished(
    request,
    reply,
    user ? { login: { accountId: user.sub } } : { error: 'access_denied' },
  );
}).listen(port, '127.0.0.1');
