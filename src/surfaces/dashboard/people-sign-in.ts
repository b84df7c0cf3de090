// Where people sign in to the dashboard: which providers there are, where browsers leave for one, and where they bring its answer.

import express, { type Request, type Router } from 'express';
import { SallyportError } from '../../domain/errors.ts';
import type { Unsealed, Vouched } from '../../domain/gate/login.ts';
import { newSecret } from '../../domain/gate/secrets.ts';
import { UnknownKey } from '../../domain/oidc/unknown-key.ts';
import { remedies } from '../../domain/remedies.ts';
import type { SamlClient } from '../../domain/saml/client.ts';
import { LoginRefusal, refusalReasons } from '../../domain/saml/refusal.ts';
import {
  type AnsweredUrls,
  type ServiceProvider,
  signInUrls,
  writeServiceProviderMetadata,
} from '../../domain/saml/service-provider.ts';
import type { Clock } from '../../domain/saml/times.ts';
import { hashOf } from '../../domain/values/hash.ts';
import { truncateText } from '../../domain/values/text.ts';
import type { RateLimits } from '../../load/rate-limits.ts';
import type { OpenIdClient, OpenIdProviders } from '../../outgoing/openid-providers.ts';
import { clientAddress } from '../../pipeline/client-address.ts';
import { type DashboardSessions, setSessionCookie } from '../../pipeline/dashboard-sessions.ts';
import { type Callers, refusedRequest } from '../../pipeline/identify.ts';
import type { Receive } from '../../pipeline/receive.ts';
import { queryTextOf, type Reply } from '../../pipeline/request.ts';
import type { Identity } from '../../storage/keys/credentials.ts';
import type { Origin } from '../../storage/trail/origin.ts';
import type { Refusals } from '../../storage/trail/refusals.ts';
import { answerOtherMethod } from '../../wire/methods.ts';
import { send, sendJson } from '../../wire/send.ts';
import { refusalHeaders, writePage, writeRefreshingPage } from '../kit/visitor-page.ts';
import { isSecure, nameBrowser, readBrowsers } from './browser-name.ts';
import { leaveBySaml, returnBySaml, type SamlState } from './saml-sign-in.ts';
import { blockedText, nobodyHere, noRoleText, otherProtocol, readTarget, reasonBytesMax } from './sign-in-outcome.ts';

export interface SignInOffer {
  readonly providers: readonly { readonly id: string; readonly name: string }[];
  /** Whether API keys sign in, too. */
  readonly keys: boolean;
}

/** A provider at which somebody signs in. */
interface FoundProvider {
  readonly id: string;
  readonly accountId: string;
  /** How it is asked by OpenID Connect, or by SAML; null for the other. */
  readonly client: OpenIdClient | null;
  readonly saml: SamlClient | null;
}

/** The sign-ins in progress, and those that end. Generic in the provider, which only the store knows whole. */
export interface SignIns<P extends FoundProvider = FoundProvider> {
  offer(account: string | null): Promise<SignInOffer>;
  findOwner(id: string): Promise<string | null>;
  find(id: string): Promise<P | null>;
  findAnew(provider: P): Promise<P | null>;
  findServiceProvider(id: string): Promise<ServiceProvider | null>;
  seal(provider: P, text: string): string;
  open(provider: P, text: string): Unsealed | null;
  use(provider: P, idHash: string, usableUntil: Date): Promise<boolean>;
  signIn(
    provider: P,
    vouched: Vouched,
    originOf: (actor: string, description: string) => Origin,
  ): Promise<
    | { readonly identity: Identity }
    | { readonly refused: 'no_role' | 'blocked'; readonly person: string; readonly personId: string | null }
  >;
}

export interface PeopleSignInOptions<P extends FoundProvider> {
  readonly signIns: SignIns<P>;
  readonly providers: OpenIdProviders;
  readonly sessions: Pick<DashboardSessions, 'begin'>;
  readonly callers: Pick<Callers, 'personArriving'>;
  readonly receive: Pick<Receive, 'ofNetwork'>;
  readonly refusals: Pick<Refusals, 'noteLogin'>;
  readonly rateLimits: RateLimits;
  /**
   * Scheme and host of our own pages; null if not configured. Without them nobody signs in by a provider: it would send browsers to
   * wherever a header says.
   */
  readonly baseUrl: string | null;
  readonly clock: () => Clock;
  readonly randomBytes: (size: number) => Uint8Array;
  /** Number of proxies in front of the server. */
  readonly proxies: number;
}

const root = '/dashboard/sign-in';
/** The dashboard, from the pages of a provider. */
const homeOf = { begin: '..', callback: '../..', acs: '../..' } as const;

/** Why somebody is not let in, in words for the person. */
class Refused extends Error {
  readonly reason: string;
  readonly who: { readonly actor: string; readonly description: string };

  constructor(reason: string, message: string, who: Refused['who']) {
    super(message);
    this.reason = reason;
    this.who = who;
  }
}

/** Creates the router. Its handlers throw coded errors. */
export function createPeopleSignInRouter<P extends FoundProvider>(options: PeopleSignInOptions<P>): Router {
  const { signIns, providers, sessions, callers, receive, refusals, rateLimits, baseUrl, randomBytes, proxies } =
    options;
  const router = express.Router({ caseSensitive: true, strict: true });

  router.get(root, async (request: Request, reply: Reply) => {
    reply.locals.trace.route = `GET ${root}`;
    reply.setHeader('Cache-Control', 'no-store');
    receive.ofNetwork(request, reply);
    const account = new URLSearchParams(queryTextOf(request.url)).get('account');
    sendJson(reply, 200, await signIns.offer(account));
  });

  const providerOf = async (
    request: SignInRequest,
    reply: Reply,
  ): Promise<{ provider: P; redirectUri: string; urls: AnsweredUrls }> => {
    const provider = await signIns.find(request.params.id);
    if (provider === null) throw nobodyHere();
    reply.locals.trace.accountId = provider.accountId;
    return { provider, redirectUri: `${baseUrl}${root}/${provider.id}/callback`, urls: urlsOf(provider.id) };
  };

  /** Returns our own URLs. Throws LoginRefusal if they are not known. */
  const urlsOf = (id: string): AnsweredUrls => {
    if (baseUrl === null) throw new LoginRefusal('disabled', `${remedies.setBaseUrl} is not set.`);
    return signInUrls(baseUrl, id);
  };

  /** Runs a step of a sign-in. A refusal is shown on a page, because a person is waiting, and noted for the trail. */
  const page =
    (name: keyof typeof homeOf, step: (request: SignInRequest, reply: Reply) => Promise<void>) =>
    async (request: SignInRequest, reply: Reply) => {
      reply.locals.trace.route = `${request.method} ${root}/{id}${name === 'begin' ? '' : `/${name}`}`;
      reply.setHeader('Cache-Control', 'no-store');
      reply.setHeader('Referrer-Policy', 'no-referrer');
      receive.ofNetwork(request, reply);
      try {
        await step(request, reply);
      } catch (error) {
        if (!(error instanceof LoginRefusal) && !(error instanceof Refused)) throw error;
        const { accountId } = reply.locals.trace;
        const text = error instanceof LoginRefusal ? refusalReasons[error.reason] : error.message;
        if (accountId !== null) {
          const address = clientAddress(request, proxies);
          const asked = { ...refusedRequest(reply, { address }, 'FORBIDDEN'), asked: `sign-in ${request.params.id}` };
          const reason = truncateText(`${error.reason}: ${error.message}`, reasonBytesMax);
          const who = error instanceof Refused ? error.who : undefined;
          refusals.noteLogin(asked, { accountId, at: request.params.id, reason, who });
        }
        for (const [header, value] of Object.entries(refusalHeaders)) reply.setHeader(header, value);
        const link = { href: `${homeOf[name]}/`, text: 'Back to the sign-in page' };
        const title = 'You are not signed in';
        send(reply, 403, 'text/html; charset=utf-8', writePage(title, text, reply.locals.info.requestId, link));
      }
    };

  const begin = router.route(`${root}/:id`);
  begin.get(
    page('begin', async (request, reply) => {
      const { provider, redirectUri, urls } = await providerOf(request, reply);
      const { client, saml } = provider;
      const target = readTarget(new URLSearchParams(queryTextOf(request.url)).get('to'));
      const browser = nameBrowser(request, reply, redirectUri, randomBytes);
      const { accountId } = provider;
      if (saml !== null) {
        return leaveBySaml(options, { accountId, saml }, urls, stateOf(provider), browser, target, reply);
      }
      if (client === null) throw otherProtocol();
      const secret = newSecret(randomBytes, 32);
      // All that is known about the sign-in is in the state, which the answer must repeat; nobody else can read the secret in it.
      const state = signIns.seal(provider, `${secret} ${hashOf(browser)} ${target}`);
      const location = await providers.beginUrl(client, redirectUri, { state, secret });
      reply.setHeader('Location', location);
      send(reply, 303, 'text/plain; charset=utf-8', '');
    }),
  );
  begin.all((request: SignInRequest, reply: Reply) => answerOtherMethod(['GET'], request, reply));

  const callback = router.route(`${root}/:id/callback`);
  callback.get(
    page('callback', async (request, reply) => {
      const { provider, redirectUri } = await providerOf(request, reply);
      const { client } = provider;
      if (client === null) throw otherProtocol();
      const answered = new URL(redirectUri);
      answered.search = queryTextOf(request.url);
      const { searchParams: query } = answered;
      const [state = '', ...otherStates] = query.getAll('state');
      const opened = signIns.open(provider, state);
      const [, secret = '', browserHash, target = ''] =
        /^([\w-]{43}) ([0-9a-f]{64}) (.*)$/.exec(opened?.text ?? '') ?? [];
      const isBrowser = readBrowsers(request, redirectUri).some((browser) => hashOf(browser) === browserHash);
      if (opened === null || otherStates.length > 0 || !isBrowser) {
        // Also for what was begun in another browser: somebody else could be behind it.
        throw new LoginRefusal('state', 'The state of the sign-in is not ours, too old, or of another browser.');
      }
      const error = query.get('error');
      if (error !== null) throw new LoginRefusal('status', `The provider answers ${JSON.stringify(error)}.`);
      // Before the code is redeemed: of two answers to one sign-in, only the first may cost a request to the provider.
      if (!(await signIns.use(provider, hashOf(state), opened.usableUntil))) {
        throw new LoginRefusal('replayed', 'The sign-in has been answered before.');
      }
      let vouched: Vouched;
      try {
        ({ vouched } = await providers.redeem(client, answered, { state, secret }));
      } catch (failure) {
        // The code is spent, so the sign-in begins anew, with the keys that the provider has now.
        if (!(failure instanceof UnknownKey) || !failure.mayBeginAgain) throw failure;
        reply.setHeader('Location', `../${provider.id}?to=${encodeURIComponent(target)}`);
        return send(reply, 303, 'text/plain; charset=utf-8', '');
      }
      await letIn(request, reply, provider, vouched);
      finish(reply, `${homeOf.callback}/${target}`);
    }),
  );
  callback.all((request: SignInRequest, reply: Reply) => answerOtherMethod(['GET'], request, reply));

  const consumer = router.route(`${root}/:id/acs`);
  consumer.post(
    page('acs', async (request, reply) => {
      const { id } = request.params;
      const accountId = await signIns.findOwner(id);
      if (accountId === null) throw nobodyHere();
      reply.locals.trace.accountId = accountId;
      const urls = urlsOf(id);
      const browsers = readBrowsers(request, urls.entityId);
      const answered = { ...signIns, accountId, find: () => signIns.find(id), stateOf };
      const taken = await returnBySaml(options, answered, urls, browsers, request, reply);
      if (taken === null) return;
      await letIn(request, reply, taken.provider, taken.vouched);
      finish(reply, `${homeOf.acs}/${readTarget(taken.target)}`);
    }),
  );
  consumer.all((request: SignInRequest, reply: Reply) => answerOtherMethod(['POST'], request, reply));

  const metadata = router.route(`${root}/:id/metadata`);
  metadata.get(async (request: SignInRequest, reply: Reply) => {
    reply.locals.trace.route = `GET ${root}/{id}/metadata`;
    receive.ofNetwork(request, reply);
    const found = await signIns.findServiceProvider(request.params.id);
    if (found === null) throw new SallyportError('NOT_FOUND', 'Nobody signs in here by SAML.');
    const urls = signInUrls(reply.locals.info.baseUrl, request.params.id);
    reply.setHeader('Cache-Control', 'public, no-cache');
    // SAML metadata 2.0, appendix A.
    send(reply, 200, 'application/samlmetadata+xml; charset=utf-8', writeServiceProviderMetadata(urls, found));
  });
  metadata.all((request: SignInRequest, reply: Reply) => answerOtherMethod(['GET'], request, reply));

  function stateOf(provider: P): SamlState {
    return {
      seal: (text) => signIns.seal(provider, text),
      open: (text) => signIns.open(provider, text),
      use: (idHash, usableUntil) => signIns.use(provider, idHash, usableUntil),
    };
  }

  /** Begins the session of a person for whom a provider has vouched. Throws Refused, and as `Callers`. */
  const letIn = async (request: SignInRequest, reply: Reply, provider: P, vouched: Vouched) => {
    const { requestId } = reply.locals.info;
    const address = clientAddress(request, proxies)?.toString() ?? null;
    const originOf = (actor: string, actorDescription: string): Origin => ({
      actor,
      actorDescription,
      surface: 'dashboard',
      requestId,
      clientAddress: address,
    });
    const called = vouched.email ?? vouched.name ?? vouched.user;
    await callers.personArriving(request, reply, provider.accountId, called);
    const outcome = await signIns.signIn(provider, vouched, originOf);
    if ('refused' in outcome) {
      const { refused, person, personId } = outcome;
      const who = { actor: personId ?? 'user', description: person };
      throw new Refused(refused, refused === 'blocked' ? blockedText : noRoleText(person, vouched.groups), who);
    }
    const { identity } = outcome;
    rateLimits.begin(reply, identity.actor);
    const origin = originOf(identity.actor, identity.actorDescription ?? '');
    const { token } = await sessions.begin(identity, origin, request.get('user-agent') ?? '');
    setSessionCookie(request, reply, token, isSecure(baseUrl ?? ''));
  };

  /** Leads to the dashboard by a page of its own: a redirect would come from the provider, and its request without our cookie. */
  const finish = (reply: Reply, href: string) => {
    for (const [header, value] of Object.entries(refusalHeaders)) reply.setHeader(header, value);
    send(reply, 200, 'text/html; charset=utf-8', writeRefreshingPage('You are signed in', { href, text: 'Go on' }));
  };
  return router;
}

type SignInRequest = Request<{ id: string }>;
