// A database for the gate: an edge with routes, two of them with a SAML module and a user who has logged in there, one of these also
// with an IP restriction module of 1,000 rules; and two restrictions of 500 rules each.

import { randomBytes } from 'node:crypto';
import { createLogins } from '../src/areas/https-edges/login-store.ts';
import { replaceIpRestriction } from '../src/areas/https-edges/module-store.ts';
import { cookiePrefixDefault } from '../src/areas/https-edges/rules.ts';
import { replaceSamlModule } from '../src/areas/https-edges/saml-store.ts';
import { createSessions } from '../src/areas/https-edges/session-store.ts';
import { createHttpsEdge, createHttpsEdgeRoute } from '../src/areas/https-edges/store.ts';
import { createIpPolicy, createIpPolicyRule } from '../src/areas/ip-policies/store.ts';
import { createIpRestriction } from '../src/areas/ip-restrictions/store.ts';
import { sessionCookieName } from '../src/domain/gate/cookies.ts';
import { newSecret } from '../src/domain/gate/secrets.ts';
import { hashOf } from '../src/domain/values/hash.ts';
import { chooseEngine } from '../src/storage/lifecycle/choose-engine.ts';
import { migrate } from '../src/storage/lifecycle/migrate.ts';
import { openStorage } from '../src/storage/storage.ts';
import { commandLine } from '../src/storage/trail/origin.ts';
import type { Place } from './places.ts';

/** A database for the gate, and what is needed to ask about it. */
export interface GateTemplate {
  readonly url: string;
  /** In base64, for the variable `SECRET_KEY`. */
  readonly secretKey: string;
  readonly edgeId: string;
  readonly pages: { readonly [P in keyof typeof application.paths]: Page };
}

/** A page of the application. */
export interface Page {
  readonly path: string;
  /** A session at its route, as a browser's cookie. */
  readonly cookie: string;
}

/** The application: its host, and pages that require a login, one of them also an allowed address. */
export const application = {
  host: 'app.example.com',
  paths: { plain: '/app7/reports/2026?page=3&sort=name', restricted: '/app8/reports/2026?page=3&sort=name' },
};

const routeCount = 20;
const rulesPerRestriction = 500;
/** Rules of the IP restriction module. */
export const moduleRules = 1_000;
const issuer = 'https://idp.example.com';
const idpMetadata = `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${issuer}"/>`;

/** Creates the database, through Sallyport's storage. */
export async function makeGateTemplate(place: Place): Promise<GateTemplate> {
  const secretKey = randomBytes(32);
  const url = await place.create('gate');
  const engine = chooseEngine(url);
  await migrate(engine);
  const now = () => new Date();
  const storage = await openStorage({ engine, now, randomBytes, secretKey: () => secretKey });
  const scope = storage.actingFor((await storage.accounts.create('default', commandLine)).id, commandLine);

  const { id: edgeId } = await createHttpsEdge(scope, { hostports: [`${application.host}:443`] });
  const routeOf = new Map<string, string>();
  for (let route = 0; route < routeCount; route += 1) {
    const match = `/app${route}/`;
    const { id } = await createHttpsEdgeRoute(scope, { edgeId, matchType: 'path_prefix', match });
    const path = Object.values(application.paths).find((each) => each.startsWith(match));
    if (path === undefined) continue;
    routeOf.set(path, id);
    await replaceSamlModule(scope, { edgeId, id, idpMetadata, authorizedGroups: ['staff', 'finance'] });
  }
  /** Creates a policy that allows the clients of the benchmark, and the benchmark itself behind nginx, by its first rules. */
  const makePolicy = async (first: number, last: number) => {
    const { id: ipPolicyId } = await createIpPolicy(scope, {});
    await createIpPolicyRule(scope, { ipPolicyId, cidr: '10.0.0.0/8', action: 'allow' });
    await createIpPolicyRule(scope, { ipPolicyId, cidr: '127.0.0.0/8', action: 'allow' });
    for (let rule = first + 2; rule < last; rule += 1) {
      const cidr = `${11 + (rule >> 8)}.${rule & 255}.0.0/16`;
      await createIpPolicyRule(scope, { ipPolicyId, cidr, action: rule % 4 === 0 ? 'deny' : 'allow' });
    }
    return ipPolicyId;
  };
  const restricted = { edgeId, id: routeOf.get(application.paths.restricted) ?? '' };
  await replaceIpRestriction(scope, { ...restricted, ipPolicyIds: [await makePolicy(0, moduleRules)] });

  // Two enforced restrictions: an address has to pass both.
  for (const [first, last] of [
    [0, rulesPerRestriction],
    [rulesPerRestriction, 2 * rulesPerRestriction],
  ] as const) {
    const ipPolicyId = await makePolicy(first, last);
    await createIpRestriction(scope, { type: 'endpoints', enforced: true, ipPolicyIds: [ipPolicyId] });
  }

  const reportFailure = (error: unknown) => {
    throw error;
  };
  const sessions = createSessions(storage, {
    now,
    secondsMax: 86_400,
    reportFailure,
  });
  const who = {
    user: 'grace@example.com',
    email: 'grace@example.com',
    name: 'Grace Hopper',
    attributeNames: [],
    groups: ['staff', 'navy'],
  };
  const named = {
    nameId: who.user,
    nameidFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
    nameQualifier: null,
    spNameQualifier: null,
    sessionIndex: null,
  };
  const vouched = { ...who, issuer, sessionEndsAt: null, named };
  const host = `${application.host}:443`;
  const { accountId } = scope;
  const begun = { host, browserHash: null, device: null, target: '' };
  const logins = createLogins(storage, now);
  const logIn = async (path: string): Promise<Page> => {
    const routeId = routeOf.get(path) ?? '';
    const token = newSecret(randomBytes, 32);
    const ticketHash = hashOf(newSecret(randomBytes, 32));
    await logins.answer({ accountId, routeId, registrationId: routeId }, begun, ticketHash, vouched, now());
    const issued = { vouched, issuedAt: now(), registrationId: routeId, continued: null, sealedIdToken: null };
    const login = { ...begun, deviceHash: null, ticketHash, accountId, routeId, ...issued };
    await sessions.create(hashOf(token), login, '10.20.30.40');
    return { path, cookie: `${sessionCookieName(cookiePrefixDefault, routeId)}=${token}` };
  };
  const { plain, restricted: behindModule } = application.paths;
  const pages = { plain: await logIn(plain), restricted: await logIn(behindModule) };
  await storage.close();
  await place.settle(url);
  return { url, secretKey: secretKey.toString('base64'), edgeId, pages };
}
