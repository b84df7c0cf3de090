// HTTPS edges that need attention: problems that prevent users from logging in at their routes, now or soon.

import { type Attention, mostUrgent, urgencyOf } from '../../domain/attention.ts';
import { isIdentityProvider } from '../../domain/saml/identity-provider.ts';
import { type Problem, problemsOf, problemsOfReading } from '../../domain/saml/problems.ts';
import { endOfCertificate, validityDays } from '../../domain/saml/signing-key.ts';
import { readAs } from '../../domain/values/decode.ts';
import { dayMs, formatTimestamp } from '../../domain/values/time.ts';
import { called, counted, ended, listed, type Nameable } from '../../domain/wording.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import type { AttentionSource } from '../../storage/objects/attention-source.ts';
import type { Row } from '../../storage/objects/collection.ts';
import { entriesOfRow, type SliceSizes } from '../../storage/sql/read-slices.ts';
import { type RotationState, rotationStateOf } from './saml-rotation-rules.ts';

/** Days before expiry from which certificates of our own need attention: an identity provider has to take over the next ones. */
const ownEndingDays = 90;

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

const newMetadata = 'Get its new metadata, and give it to the routes.';

const readingColumns = [
  'idpMetadataUrl',
  'metadataFailure',
  'metadataFailedAt',
  'metadataReadAt',
  'metadataKeysAt',
] as const;

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

/** Routes with what their metadata contains, up to a hundred kilobytes of JSON each. */
const routeSlices: SliceSizes = { first: 20, most: 100, waits: true, loads: true };

/** Finds what is wrong with the providers of all enabled modules, route by route, in slices. */
async function* readProblems({ rows }: AccountView, now: Date) {
  let last: string | undefined;
  const read = async (take: number) => {
    const range = { equal: {}, lessThan: undefined, greaterThan: last, ascending: true, take };
    const routes = await rows.pickRange('HttpsEdgeRoute', ['id', 'description', 'match', 'createdAt'], range);
    const ids = routes.map(({ id }) => id);
    const columns = ['routeId', 'enabled', 'loginRouteId', 'identityProvider', ...readingColumns] as const;
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
      const problems = [
        ...problemsOf(provider, newMetadata, now),
        ...problemsOfReading(registration, provider, 'the routes', now),
      ];
      return [{ route, createdAt, problems }];
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
  return new Date(now.getTime() - (validityDays - ownEndingDays) * dayMs);
}

/** What comes next, so that certificates of ours are replaced before they end. */
const nextSteps: Readonly<Record<RotationState, string>> = {
  settled: 'Replace its keys: begin with the step `announce` of `rotateSamlKey`.',
  announced:
    'The next key is announced. Once the identity provider has read our metadata, go on with the step `take_over` of `rotateSamlKey`.',
  taken_over:
    'Once the identity provider encrypts for the new key, end the replacement with the step `drop_former` of `rotateSamlKey`, and begin anew.',
};

/** Finds our certificates that are about to expire, at routes that are old enough. */
async function findEndingKeys({ rows, now: clock }: AccountView, routes: readonly Nameable[]): Promise<Attention[]> {
  if (routes.length === 0) return [];
  const now = clock();
  const routeOf = new Map(routes.map((route) => [route.id, route]));
  const columns = [
    'routeId',
    'loginRouteId',
    'certificatePem',
    'encryptionCertificatePem',
    'nextCertificatePem',
    'formerCertificatePem',
  ] as const;
  const modules = await rows.pick('SamlModule', columns, 'routeId', [...routeOf.keys()]);
  return modules.flatMap((module) => {
    const { routeId, loginRouteId, certificatePem, encryptionCertificatePem } = module;
    const route = routeOf.get(routeId);
    if (route === undefined || loginRouteId !== null) return [];
    const encryption = encryptionCertificatePem === null ? [] : [['for encryption', encryptionCertificatePem] as const];
    const ends = [['that signs requests', certificatePem] as const, ...encryption].map(([what, pem]) => ({
      what,
      at: endOfCertificate(pem),
    }));
    const [first] = ends.sort((one, other) => one.at.getTime() - other.at.getTime());
    if (first === undefined || first.at.getTime() > now.getTime() + ownEndingDays * dayMs) return [];
    const { what, at } = first;
    const verb = at <= now ? 'expired' : 'expires';
    const message = `The certificate ${what} of the route ${called(route)} ${verb} at ${formatTimestamp(at)}. ${nextSteps[rotationStateOf(module)]}`;
    const severity = urgencyOf(at, now);
    return [{ code: 'saml_request_certificate_expires', severity, message, count: 1, at, subject: route }] as const;
  });
}
