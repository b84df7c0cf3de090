// The application: the gate, and behind it Express with the middleware, the surfaces and error handling. It does not listen itself.

import type { RequestListener } from 'node:http';
import express, { type Request } from 'express';
import { createDashboardSessions } from './areas/api-keys/session-store.ts';
import { createSecondPerson } from './areas/approvals/asking-store.ts';
import { createEdgeFinder } from './areas/https-edges/gate-store.ts';
import { createLogins } from './areas/https-edges/login-store.ts';
import { createEarlyModuleReading } from './areas/https-edges/metadata-reading-store.ts';
import { createSessions } from './areas/https-edges/session-store.ts';
import { objectionsTo, objectionsToOwn } from './areas/ip-restrictions/enforcement-store.ts';
import { refuseLockoutByPolicy as refuseLockout } from './areas/ip-restrictions/lockout-store.ts';
import { createSignIns } from './areas/people/sign-in-store.ts';
import { createSubjectFinder } from './areas/ssh/subject-store.ts';
import type { Config } from './config.ts';
import { createWarningCounts, type WarningCounts, type WarningsOf } from './domain/access/warnings.ts';
import { chain } from './domain/concurrency/at-once.ts';
import { SallyportError } from './domain/errors.ts';
import type { GateRules, GateRulesFor } from './domain/gate/decide.ts';
import type { EdgeTable } from './domain/gate/edge-table.ts';
import { createIdentityKeys } from './domain/gate/identity-token.ts';
import { createNewId } from './domain/values/ids.ts';
import { createGraphQLEngine } from './graphql/execution/yoga.ts';
import { schema } from './graphql/schema.ts';
import { createRateLimits } from './load/rate-limits.ts';
import { createRequestsUnderway } from './load/requests-underway.ts';
import { createOpenIdProviders } from './outgoing/openid-providers.ts';
import type { Outgoing } from './outgoing/outgoing.ts';
import { createAnswerError } from './pipeline/answer-error.ts';
import { createAnswerOnce } from './pipeline/answer-once.ts';
import { createBegin, onSurface } from './pipeline/begin.ts';
import { createContexts } from './pipeline/contexts.ts';
import { createCors } from './pipeline/cors.ts';
import { createCallers } from './pipeline/identify.ts';
import { createReceive } from './pipeline/receive.ts';
import { checkVersion as checkVersionHeader } from './pipeline/request.ts';
import type { Storage } from './storage/storage.ts';
import type { DashboardFiles } from './surfaces/dashboard/files.ts';
import { createDashboardRouter } from './surfaces/dashboard/pages.ts';
import { createPeopleSignInRouter } from './surfaces/dashboard/people-sign-in.ts';
import { createSignInRouter } from './surfaces/dashboard/sign-in.ts';
import { isLookedAt, sendErrorPage } from './surfaces/gate/error-page.ts';
import { createGate } from './surfaces/gate/gate.ts';
import { createIdentityKeysRouter } from './surfaces/gate/identity-keys-router.ts';
import { createIdentitySigner } from './surfaces/gate/identity-signer.ts';
import { noteLoginRefusal } from './surfaces/gate/login-refusals.ts';
import { createLoginRouter } from './surfaces/gate/login-router.ts';
import { createLogoutRouter } from './surfaces/gate/logout-router.ts';
import { createOidcLogoutRouter } from './surfaces/gate/oidc-logout-router.ts';
import { createOidcRouter } from './surfaces/gate/oidc-router.ts';
import type { GateSummary } from './surfaces/gate/outcome.ts';
import { createPrograms } from './surfaces/gate/programs.ts';
import { createSamlPages } from './surfaces/gate/saml-pages.ts';
import type { LoginFailure, SessionEvent } from './surfaces/gate/session-events.ts';
import { createVisitors } from './surfaces/gate/visitors.ts';
import { createGraphiQLPage, createGraphiQLRouter } from './surfaces/graphql/graphiql.ts';
import { createGraphQLEndpoint } from './surfaces/graphql/graphql-endpoint.ts';
import { createEventStreams, type EventStreams } from './surfaces/kit/event-streams.ts';
import { createFollow } from './surfaces/kit/follow.ts';
import { createGuideRouter, type GuideFile } from './surfaces/pages/guide.ts';
import { createPagesRouter } from './surfaces/pages/pages.ts';
import { createPublicFilesRouter } from './surfaces/public-files.ts';
import { createRestRouter } from './surfaces/rest/adapter.ts';
import { describeRestSurface, writeOpenApi } from './surfaces/rest/openapi/describe.ts';
import { publicFiles, servedRoutes } from './surfaces/rest/routes.ts';
import { feeding } from './telemetry/activity.ts';
import type { MessageClasses } from './wire/express-prototypes.ts';
import type { RequestSummary } from './wire/trace.ts';

type Settings = Pick<
  Config,
  | 'baseUrl'
  | 'trustProxy'
  | 'corsOrigins'
  | 'versionHeaders'
  | 'gateProxies'
  | 'gateAllowSemicolon'
  | 'sessionSeconds'
  | 'clockSkewSeconds'
  | 'dashboardIdleSeconds'
  | 'dashboardSessionSeconds'
  | 'renewalGraceDays'
  | 'rateLimit'
  | 'usePlans'
>;

/** Dependencies of the application. */
export interface ServerDeps extends Settings {
  /** The classes of requests and responses: the listening server must use the same. */
  readonly messages: MessageClasses;
  readonly storage: Storage;
  readonly outgoing: Outgoing;
  /** The clock; tests pass a fixed one. */
  readonly now: () => Date;
  /** A monotonic clock, in milliseconds; that of the process by default. */
  readonly monotonicMs?: (() => number) | undefined;
  /** The source of randomness; tests pass a repeatable one. */
  readonly randomBytes: (size: number) => Uint8Array;
  /** Called with the causes of failures that clients do not see, and the id of the request. */
  readonly reportFailure: (requestId: string, error: unknown) => void;
  readonly requestEnded?: ((summary: RequestSummary) => void) | undefined;
  readonly gateDecided?: ((summary: GateSummary) => void) | undefined;
  /** Returns whether a request that passes the gate belongs to the sample that is shipped; none does by default. */
  readonly gateSampled?: (() => boolean) | undefined;
  /** Called with the address of a peer that asks the gate or forwards requests, although no setting names it as a proxy. */
  readonly strangerNoticed?: ((does: 'asks' | 'forwards', address: string) => void) | undefined;
  /** Called with logins and logouts of users. */
  readonly sessionHappened?: ((event: SessionEvent) => void) | undefined;
  /** Called with failed logins and logouts of users. */
  readonly loginFailed?: ((failure: LoginFailure) => void) | undefined;
  /** The files of the dashboard; null if it was not built. */
  readonly dashboard: DashboardFiles | null;
  /** The files of the guide; none by default. */
  readonly guide?: readonly GuideFile[] | undefined;
  readonly version: string;
  /** Creates the reads of the warnings that all processes behind the port have counted; by default, of this process alone. */
  readonly readWarnings?: ((own: WarningCounts) => WarningsOf) | undefined;
  /** The event streams; created by the server by default. */
  readonly streams?: EventStreams | undefined;
}

const graphqlPath = '/graphql';

/** Creates the application. Throws Error if a route does not match its document. */
export function createServer(deps: ServerDeps): RequestListener {
  const { storage, now, randomBytes, reportFailure, trustProxy: proxies } = deps;
  const newId = createNewId(() => now().getTime(), randomBytes);
  const engine = createGraphQLEngine({ report: reportFailure, usePlans: deps.usePlans });
  const streams = deps.streams ?? createEventStreams(reportFailure);
  const findEdge = createEdgeFinder(storage);
  const gateRulesFor: GateRulesFor = (edgeId, address) =>
    chain<EdgeTable | null, GateRules | null>(findEdge(edgeId), (edge) => {
      if (edge === null) return null;
      return chain(objectionsTo(storage.forAccount(edge.accountId), 'endpoints', address), (objections) => ({
        edge,
        objections,
        allowSemicolon: deps.gateAllowSemicolon,
      }));
    });
  const logins = createLogins(storage, now);
  const clock = () => ({ now: now(), skewMs: deps.clockSkewSeconds * 1000 });
  const sessions = createSessions(storage, {
    now,
    secondsMax: deps.sessionSeconds,
    reportFailure: (error) => reportFailure(newId('Request'), error),
  });
  const warnings = createWarningCounts();
  const { requestEnded, gateDecided } = feeding({ ...deps, activity: storage.activity, warnings });
  const happened = deps.sessionHappened ?? (() => {});
  const monotonicMs = deps.monotonicMs ?? (() => performance.now());
  const newRequestId = () => newId('Request');
  const identityKeys = createIdentityKeys(storage.codeForIdentity);
  const { credentials, refusals } = storage;
  const answersGate = createGate({
    proxies: deps.gateProxies,
    rulesFor: gateRulesFor,
    visitors: createVisitors({ logins, sessions, baseUrl: deps.baseUrl, now, randomBytes, happened }),
    judgeProgram: createPrograms({ credentials, refusals, newRequestId, monotonicMs }),
    signIdentity: deps.baseUrl === null ? null : createIdentitySigner(identityKeys, deps.baseUrl),
    now,
    newRequestId,
    decided: gateDecided,
    isDrawn: deps.gateSampled ?? (() => false),
    strangerAsked: (address) => deps.strangerNoticed?.('asks', address),
    reportFailure,
  });
  const underway = createRequestsUnderway();
  const rateLimits = createRateLimits(deps.rateLimit, monotonicMs);
  const dashboardSessions = createDashboardSessions(storage, {
    now,
    randomBytes,
    idleSeconds: deps.dashboardIdleSeconds,
    secondsMax: deps.dashboardSessionSeconds,
    reportFailure: (error) => reportFailure(newId('Request'), error),
  });
  const signIns = createSignIns(storage, deps.outgoing, now);
  const callers = createCallers({
    credentials,
    sessions: dashboardSessions,
    refusals,
    findSubject: createSubjectFinder(storage.server),
    objectionsTo: (accountId, traffic, address) => objectionsToOwn(storage.forAccount(accountId), traffic, address),
    now,
    proxies,
  });
  const receive = createReceive({ rateLimits, underway, rateLimit: deps.rateLimit, monotonicMs, proxies });
  const follow = createFollow(streams, callers, underway);
  const warningsOf = deps.readWarnings?.(warnings) ?? (async (...asked) => warnings.of(...asked));
  const identify = callers.byKeyOrSession;
  const providers = createOpenIdProviders({ outgoing: deps.outgoing, clock });
  const own = { warningsOf, gateRulesFor, rateLimits, dashboardSessions, refuseLockout, createSecondPerson, identify };
  const contextOf = createContexts({ ...deps, ...own, examineProvider: providers.examine });

  const app = express();
  deps.messages.belongTo(app);
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('query parser', false);
  app.set('trust proxy', proxies > 0);
  app.use(
    createBegin({
      baseUrl: deps.baseUrl,
      proxies,
      newRequestId,
      ended: requestEnded,
      strangerForwarded: (address) => deps.strangerNoticed?.('forwards', address),
    }),
  );
  if (deps.corsOrigins.length > 0) app.use(createCors(deps.corsOrigins, deps.versionHeaders));
  const answerOnce = createAnswerOnce(storage, reportFailure);
  const ownPages = { sessions: dashboardSessions, callers, receive, rateLimits, proxies };
  const isSecure = deps.baseUrl?.startsWith('https:') ?? false;
  const [versionHeader = 'Service-Version'] = deps.versionHeaders;
  app.all(
    graphqlPath,
    createGraphiQLPage(isSecure),
    onSurface('graphql'),
    createGraphQLEndpoint(engine, { callers, receive, contextOf, answerOnce, follow }),
  );
  // Before the routers with few requests, because passing through each takes time.
  const checkVersion = (request: Request) => checkVersionHeader(request, deps.versionHeaders);
  app.use(
    onSurface('rest'),
    createRestRouter(servedRoutes, { engine, callers, receive, contextOf, answerOnce, follow, checkVersion }),
  );
  app.use(
    onSurface('dashboard'),
    createSignInRouter({ ...ownPages, offerOf: signIns.offerOf, monotonicMs }),
    createPeopleSignInRouter({ ...ownPages, ...deps, signIns, providers, clock, refusals: storage.refusals }),
    createDashboardRouter(deps.dashboard, isSecure),
  );
  app.use(
    onSurface('page'),
    createGraphiQLRouter(schema),
    createGuideRouter(deps.guide ?? [], isSecure),
    createPagesRouter({
      schema,
      openApi: () => writeOpenApi(describeRestSurface(versionHeader)),
      documentSchema: async () => {
        const { writeDocumentSchema } = await import('./areas/configuration/document-public.ts');
        return writeDocumentSchema(schema);
      },
      versionHeader,
      isSecure,
      hasDashboard: deps.dashboard !== null,
    }),
  );
  app.use(
    onSurface('published'),
    createPublicFilesRouter(publicFiles, storage.server),
    createIdentityKeysRouter(identityKeys, now),
  );
  const pages = createSamlPages({
    logins,
    baseUrl: deps.baseUrl,
    trustProxy: deps.trustProxy,
    gateProxies: deps.gateProxies,
    randomBytes,
    readMetadataEarly: createEarlyModuleReading(storage.server, deps.outgoing, now),
    failed(failure, reply) {
      deps.loginFailed?.(failure);
      if (!failure.ledOn) noteLoginRefusal(refusals, failure, reply, deps.trustProxy);
    },
  });
  const ofLogins = { pages, logins, sessions, findEdge: async (edgeId: string) => findEdge(edgeId), randomBytes };
  app.use(
    onSurface('login'),
    createLoginRouter({ ...ofLogins, allowSemicolon: deps.gateAllowSemicolon, clock }),
    createOidcRouter({ ...ofLogins, providers, baseUrl: deps.baseUrl }),
    createOidcLogoutRouter({ pages, logins, sessions, providers, happened }),
    createLogoutRouter({ pages, logins, sessions, clock, randomBytes, happened }),
  );
  app.use(onSurface('unknown'), () => {
    throw new SallyportError('UNKNOWN_ROUTE', 'This path does not exist. See the documentation at /docs.');
  });
  app.use(
    createAnswerError({
      graphqlPath,
      showPage(request, reply, status, error) {
        if (!isLookedAt(request, reply)) return false;
        sendErrorPage(request, reply, status, error);
        return true;
      },
      reportFailure,
    }),
  );
  return (request, reply) => {
    if (!answersGate(request, reply)) app(request, reply);
  };
}
