// HTTPS edges that need attention: problems that prevent users from logging in at their routes, now or soon.

import {
  type Attention,
  type AttentionCode,
  type AttentionSeverity,
  mostUrgent,
  urgencyOf,
} from '../../domain/attention.ts';
import {
  type IdentityProvider,
  isIdentityProvider,
  type WarningCode,
  warningsOf,
} from '../../domain/saml/identity-provider.ts';
import { endOfCertificate, validityDays } from '../../domain/saml/signing-key.ts';
import { readAs } from '../../domain/values/decode.ts';
import { dayMs, formatTimestamp } from '../../domain/values/time.ts';
import { called, counted, listed, type Nameable } from '../../domain/wording.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import type { AttentionSource } from '../../storage/objects/attention-source.ts';
import type { Row } from '../../storage/objects/collection.ts';
import { entriesOfRow, type SliceSizes } from '../../storage/sql/read-slices.ts';

/** Days before expiry from which metadata or a certificate needs attention: somebody else may have to renew it. */
const endingDays = 30;

/** Finds HTTPS edges that need attention. */
export const attention: readonly AttentionSource[] = [
  {
    needs: ['https-edges:read'],
    async find({ scope, most }) {
      const now = scope.now();
      // All routes of one identity provider have the same problem, which is reported once.
      const problems = new Map<string, Problem & { readonly routes: Nameable[] }>();
      const ofKeys: Attention[] = [];
      for await (const page of readProblems(scope, now)) {
        for (const { route, problems: found } of page) {
          for (const problem of found) {
            const known = problems.get(problem.what) ?? { ...problem, routes: [] };
            known.routes.push(route);
            problems.set(problem.what, known);
          }
        }
        const old = page.filter(({ createdAt }) => createdAt <= endingSince(now)).map(({ route }) => route);
        ofKeys.push(...(await findEndingKeys(scope, old)));
      }
      const ofProviders = [...problems.values()].map(({ code, severity, what, remedy, at, routes }) => {
        const message = `${what} This concerns ${counted(routes.length, 'route')}: ${listed(routes, called)}. ${remedy}`;
        const subject = routes.length === 1 ? (routes[0] ?? null) : null;
        return { code, severity, message, count: routes.length, at, subject };
      });
      return mostUrgent([...ofProviders, ...ofKeys], most, now);
    },
  },
];

/** What is wrong with the metadata of an identity provider. */
interface Problem {
  readonly code: AttentionCode;
  readonly severity: AttentionSeverity;
  readonly what: string;
  readonly remedy: string;
  readonly at: Date | null;
}

/** The severity of each warning. Certificates only warn: others may be readable, and a key still verifies after its certificate ends. */
const problemOf: Readonly<Record<WarningCode, Pick<Problem, 'code' | 'severity'>>> = {
  no_sso_location: { code: 'saml_login_prevented', severity: 'critical' },
  no_signing_certificate: { code: 'saml_login_prevented', severity: 'critical' },
  unreadable_certificate: { code: 'saml_login_prevented', severity: 'warning' },
  unsupported_key: { code: 'saml_login_prevented', severity: 'warning' },
  too_many_keys: { code: 'saml_login_prevented', severity: 'warning' },
  unreadable_expiry: { code: 'saml_metadata_expires', severity: 'warning' },
  metadata_expired: { code: 'saml_metadata_expired', severity: 'critical' },
  certificate_expired: { code: 'saml_certificate_expired', severity: 'warning' },
};

const newMetadata = 'Get its new metadata, and give it to the routes.';

function problemsOf(provider: IdentityProvider, now: Date): Problem[] {
  const { entityId, validUntil, signingCertificates } = provider;
  const of = `the identity provider ${entityId}`;
  const problems: Problem[] = warningsOf(provider, now).map(({ code, message }) => ({
    ...problemOf[code],
    what: `The metadata of ${of}: ${message}`,
    remedy: newMetadata,
    at: code === 'metadata_expired' && validUntil !== null ? new Date(validUntil) : null,
  }));
  const isEnding = (end: string) => {
    const left = new Date(end).getTime() - now.getTime();
    return left > 0 && left <= endingDays * dayMs;
  };
  if (validUntil !== null && isEnding(validUntil)) {
    const at = new Date(validUntil);
    const what = `The metadata of ${of} expires at ${validUntil}; then nobody can log in.`;
    problems.push({ code: 'saml_metadata_expires', severity: urgencyOf(at, now), what, remedy: newMetadata, at });
  }
  for (const { fingerprint, expiresAt } of signingCertificates.filter((one) => isEnding(one.expiresAt))) {
    const what = `The certificate ${fingerprint} of ${of} expires at ${expiresAt}.`;
    const remedy = `Logins fail once the identity provider signs with another key. ${newMetadata}`;
    problems.push({ code: 'saml_certificate_expires', severity: 'warning', what, remedy, at: new Date(expiresAt) });
  }
  return problems;
}

const oidcColumns = [
  'routeId',
  'enabled',
  'loginRouteId',
  'issuer',
  'sealedClientSecret',
  'failure',
  'failedAt',
] as const;
/** How long the failure of a provider needs attention, in milliseconds: nobody may have tried to log in since. */
const failureMs = dayMs;

function problemsOfClient(
  { issuer, sealedClientSecret, failure, failedAt }: Pick<Row<'OidcModule'>, (typeof oidcColumns)[number]>,
  now: Date,
): Problem[] {
  if (sealedClientSecret === null) {
    const what = `The client secret for the OpenID provider ${issuer} was lost in a restoration: nobody can log in.`;
    return [{ code: 'oidc_client_secret_missing', severity: 'critical', what, remedy: 'Enter it again.', at: null }];
  }
  if (failedAt === null || failedAt.getTime() < now.getTime() - failureMs) return [];
  const what = `The OpenID provider ${issuer} could not be used when somebody last wanted to log in. ${ended(failure ?? '')}`;
  const remedy = 'Check the issuer, the client and its secret, and whether the provider runs.';
  return [{ code: 'oidc_provider_fails', severity: 'warning', what, remedy, at: failedAt }];
}

/** Returns a sentence with its full stop. */
function ended(sentence: string): string {
  return sentence.endsWith('.') ? sentence : `${sentence}.`;
}

/** Routes with what their metadata contains, up to a hundred kilobytes of JSON each. */
const routeSlices: SliceSizes = { first: 20, most: 100, waits: true, loads: true };

/** Finds what is wrong with the providers of all enabled modules, route by route, in slices. */
async function* readProblems({ rows }: AccountView, now: Date) {
  let last: string | undefined;
  const read = async (take: number) => {
    const range = { equal: {}, lessThan: undefined, greaterThan: last, ascending: true, take };
    const routes = await rows.pickRange('HttpsEdgeRoute', ['id', 'description', 'match', 'createdAt'], range);
    const ids = routes.map(({ id }) => id);
    const columns = ['routeId', 'enabled', 'loginRouteId', 'identityProvider'] as const;
    const modules = await rows.pick('SamlModule', columns, 'routeId', ids);
    const clients = await rows.pick('OidcModule', oidcColumns, 'routeId', ids);
    const oidcOf = new Map(clients.map((module) => [module.routeId, module]));
    const moduleOf = new Map(modules.map((module) => [module.routeId, module]));
    const registrations = await rows.pick('SamlModule', columns, 'routeId', elsewhereOf(moduleOf));
    const registrationOf = new Map([...modules, ...registrations].map((module) => [module.routeId, module]));
    const others = await rows.pick('OidcModule', oidcColumns, 'routeId', elsewhereOf(oidcOf));
    const clientOf = new Map([...clients, ...others].map((module) => [module.routeId, module]));
    const value = routes.flatMap(({ createdAt, ...route }) => {
      const oidc = oidcOf.get(route.id);
      const client = oidc?.enabled === true ? clientOf.get(oidc.loginRouteId ?? route.id) : undefined;
      if (client !== undefined) return [{ route, createdAt, problems: problemsOfClient(client, now) }];
      const saml = moduleOf.get(route.id);
      const registration = saml?.enabled === true ? registrationOf.get(saml.loginRouteId ?? route.id) : undefined;
      if (registration === undefined) return [];
      const provider = readAs(registration.identityProvider, isIdentityProvider, 'an identity provider');
      return [{ route, createdAt, problems: problemsOf(provider, now) }];
    });
    last = ids.at(-1);
    return { value, entries: 3 * ids.length * entriesOfRow, isLast: ids.length < take };
  };
  yield* rows.slices(routeSlices, read);
}

/** Returns the routes whose registrations modules use, and that are not among those of the modules. */
function elsewhereOf(modules: ReadonlyMap<string, { readonly loginRouteId: string | null }>): string[] {
  const ids = [...modules.values()].flatMap(({ loginRouteId }) => loginRouteId ?? []);
  return [...new Set(ids)].filter((id) => !modules.has(id));
}

/** Returns how old a route must be for our certificate to be about to expire: no certificate is older than its route. */
function endingSince(now: Date): Date {
  return new Date(now.getTime() - (validityDays - endingDays) * dayMs);
}

/** Finds our certificates that are about to expire, at routes that are old enough. */
async function findEndingKeys({ db, now: clock }: AccountView, routes: readonly Nameable[]): Promise<Attention[]> {
  if (routes.length === 0) return [];
  const now = clock();
  const routeOf = new Map(routes.map((route) => [route.id, route]));
  const where = { routeId: { in: [...routeOf.keys()] } };
  const modules = await db.samlModule.findMany({ where, select: { routeId: true, certificatePem: true } });
  return modules.flatMap(({ routeId, certificatePem }) => {
    const route = routeOf.get(routeId);
    const at = endOfCertificate(certificatePem);
    if (route === undefined || at.getTime() > now.getTime() + endingDays * dayMs) return [];
    const verb = at <= now ? 'expired' : 'expires';
    const message = `The certificate that signs requests of the route ${called(route)} ${verb} at ${formatTimestamp(at)}. Delete its SAML module and set it again, and give its new metadata to the identity provider.`;
    const severity = urgencyOf(at, now);
    return [{ code: 'saml_request_certificate_expires', severity, message, count: 1, at, subject: route }] as const;
  });
}
