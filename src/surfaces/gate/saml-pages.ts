// What the pages at our own address share, to which identity providers and the gate send browsers: how they find the module of
// their route, and how they answer.

import type { Request } from 'express';
import { createWorkQueue } from '../../domain/concurrency/work-queue.ts';
import { SallyportError } from '../../domain/errors.ts';
import type { LoginModule, Logins, OidcLoginModule } from '../../domain/gate/login.ts';
import { isProxy, type Proxies, clientAddress as proxiedClient } from '../../domain/gate/proxies.ts';
import { readNode } from '../../domain/ip/node-address.ts';
import { remedies } from '../../domain/remedies.ts';
import type { Decryption } from '../../domain/saml/decryption.ts';
import type { Endpoint } from '../../domain/saml/login-provider.ts';
import { LoginRefusal, type RefusalReason } from '../../domain/saml/refusal.ts';
import { loginPath, type ServiceProviderUrls, serviceProviderUrls } from '../../domain/saml/service-provider.ts';
import { type Message, type Outgoing, sendMessage } from '../../domain/saml/written-messages.ts';
import { clientAddress, clientNetwork, networkOf } from '../../pipeline/client-address.ts';
import { clientGone, type Reply } from '../../pipeline/request.ts';
import { send } from '../../wire/send.ts';
import { checks, decryptionOf, signatures } from '../kit/saml-turns.ts';
import { formHeaders, type PageLink, writeFormPage, writePage } from '../kit/visitor-page.ts';
import type { LoginFailure } from './session-events.ts';

export interface SamlPageOptions {
  readonly logins: Logins;
  /**
   * Scheme and host of our own pages; null if not configured. Without them no message is accepted: its intended recipient would be
   * compared with a header that the sender can choose.
   */
  readonly baseUrl: string | null;
  /** Number of proxies in front of our own pages. */
  readonly trustProxy: number;
  /** The proxies that may ask the gate: if nobody says how many there are, their word is taken for who sends what. */
  readonly gateProxies: Proxies;
  readonly randomBytes: (size: number) => Uint8Array;
  /**
   * Reads the metadata of a module's registration again, if that has not been done just now (`createEarlyReading`). Returns whether it
   * was read since the module was.
   */
  readonly readMetadataEarly: (module: LoginModule) => Promise<boolean>;
  /** Receives why a login or logout has failed, and the reply that says so. */
  readonly failed: (failure: LoginFailure, reply: Reply) => void;
}

export type RouteRequest = Request<{ routeId: string }>;

/** How a step ends: the browser is redirected, takes a message with it, or shows a page. */
export type Step =
  | { readonly status: 302 | 303; readonly location: string }
  | Outgoing
  /** A page without a link of its own has that of what is known. */
  | { readonly title: string; readonly text: string; readonly link?: PageLink | null; readonly status?: 403 };

/** What a step has found out about its request, for the page and the log line if it fails. */
export interface Known {
  link: PageLink | null;
  host: string | null;
  /** The user, if the identity provider has vouched for one. */
  user: string | null;
}

/** How one kind of page reports what went wrong, and with which headers. */
export interface PageKind {
  readonly event: LoginFailure['event'];
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal: (reason: RefusalReason) => { readonly title: string; readonly text: string };
}

/**
 * What waits for OpenID providers: answers to logins, each of which costs requests to its provider, and logout tokens, which providers
 * send all at once. Each provider has turns of its own, so that a slow one holds up no others; `outgoing` shares the requests of all.
 */
const providers = {
  login: createWorkQueue({
    atOnce: Number.POSITIVE_INFINITY,
    atOnceOfOwner: 4,
    waitingMax: 100,
    waitingMaxOfSender: 50,
  }),
  logout: createWorkQueue({
    atOnce: Number.POSITIVE_INFINITY,
    atOnceOfOwner: 4,
    waitingMax: 1_000,
    waitingMaxOfAll: 5_000,
  }),
  /** Logout tokens whose key has to be asked for: all of one provider wait for the same answer. */
  logoutKey: createWorkQueue({
    atOnce: Number.POSITIVE_INFINITY,
    atOnceOfOwner: 50,
    waitingMax: 200,
    waitingMaxOfSender: 50,
    waitingMaxOfAll: 5_000,
  }),
};
const detailCharactersMax = 300;

/** Creates what the pages share. */
export function createSamlPages(options: SamlPageOptions) {
  const { logins, baseUrl, trustProxy, gateProxies, randomBytes, readMetadataEarly, failed } = options;
  const addressOf = (reply: Reply): string | null => clientAddress(reply.req, trustProxy)?.toString() ?? null;
  const senderOf = ({ req }: Reply): string =>
    trustProxy === 0 ? networkBehind(req, gateProxies) : clientNetwork(req, trustProxy);

  /** Notes why a login or logout failed. */
  const refused = (
    event: LoginFailure['event'],
    routeId: string,
    reply: Reply,
    { reason, message }: LoginRefusal,
    { host, user }: Pick<Known, 'host' | 'user'> = { host: null, user: null },
    ledOn = false,
  ) => {
    const { requestId } = reply.locals.info;
    const detail = message.slice(0, detailCharactersMax);
    failed({ event, requestId, routeId, reason, detail, host, user, client: addressOf(reply), ledOn }, reply);
  };
  /** Finds the module of the page. Throws NOT_FOUND. */
  const findModule = async (request: RouteRequest, reply: Reply): Promise<LoginModule> => {
    const module = await logins.findModule(request.params.routeId);
    if (module === null) throw noLogin();
    reply.locals.trace.accountId = module.accountId;
    return module;
  };
  /** Finds the OpenID Connect module of the page. Throws NOT_FOUND. */
  const findOidcModule = async (request: RouteRequest, reply: Reply): Promise<OidcLoginModule> => {
    const module = await logins.findOidcModule(request.params.routeId);
    if (module === null) throw noLogin();
    reply.locals.trace.accountId = module.accountId;
    return module;
  };
  return {
    refused,

    findModule,

    findOidcModule,

    /** Finds the OpenID Connect module with the registration at whose address a provider answers. Throws NOT_FOUND. */
    async findOidcRegistration(request: RouteRequest, reply: Reply): Promise<OidcLoginModule> {
      const module = await findOidcModule(request, reply);
      if (module.registrationId !== module.routeId) throw noLogin();
      return module;
    },

    /** Finds the account that owns the registration at whose address a message arrives. Throws NOT_FOUND. */
    async findOwner(request: RouteRequest, reply: Reply): Promise<string> {
      const accountId = await logins.findOwner(request.params.routeId);
      if (accountId === null) throw noLogin();
      reply.locals.trace.accountId = accountId;
      return accountId;
    },

    /** Returns our own URLs. Throws LoginRefusal if they are not known. */
    urlsOf({ registrationId }: Pick<LoginModule, 'registrationId'>): ServiceProviderUrls {
      if (baseUrl === null) throw new LoginRefusal('disabled', `${remedies.setBaseUrl} is not set.`);
      return serviceProviderUrls(baseUrl, registrationId);
    },

    decryptionOf: ({ openDecryptionKeys }: LoginModule): Decryption => decryptionOf(openDecryptionKeys, randomBytes),

    /** Returns the address of the browser; null if unknown. */
    addressOf,

    /** Refuses a message before its body has come, if too many of its network wait to be checked. Throws UNAVAILABLE. */
    refuseIfFull(event: LoginFailure['event'], accountId: string, reply: Reply): void {
      checks[event].refuseIfFull(accountId, senderOf(reply));
    },

    /**
     * Checks a message of the page in its turn, with all that is read for that. If its signature is wrong, the identity provider may
     * have a new key: its metadata is read again first, and the message is checked anew. This is so for every such
     * refusal, whatever was decrypted before, so that it tells nothing.
     *
     * @param ahead whether it goes before others of its network: where everybody has one address, forgeries wait behind
     * @throws NOT_FOUND if there is no module, and as `WorkQueue.run`
     */
    async checkInTurn<T>(
      event: LoginFailure['event'],
      accountId: string,
      request: RouteRequest,
      reply: Reply,
      check: (module: LoginModule) => T | Promise<T>,
      ahead = false,
    ): Promise<T> {
      let module: LoginModule | undefined;
      const checkIt = async () => {
        module = await findModule(request, reply);
        return check(module);
      };
      const inTurn = () => checks[event].run(accountId, checkIt, clientGone(reply), { sender: senderOf(reply), ahead });
      try {
        return await inTurn();
      } catch (error) {
        const isOfKey = error instanceof LoginRefusal && error.reason === 'signature';
        if (module === undefined || !isOfKey || !(await readMetadataEarly(module))) throw error;
        return await inTurn();
      }
    },

    /** Deals with the OpenID provider of a module in its turn. Throws as `WorkQueue.run`. */
    withProvider<T>(
      lane: keyof typeof providers,
      { accountId, issuer }: OidcLoginModule,
      reply: Reply,
      work: () => Promise<T>,
    ): Promise<T> {
      const options = { sender: senderOf(reply) };
      return providers[lane].run(`${accountId} ${issuer}`, work, clientGone(reply), options);
    },

    /** Signs a message of the module in its turn, for the browser to take it to an endpoint. Throws as `WorkQueue.run`. */
    sendInTurn(
      { accountId, openSigningKey }: LoginModule,
      reply: Reply,
      message: Message,
      endpoint: Endpoint,
      relayState: string | null,
    ): Promise<Outgoing> {
      const sign = () => sendMessage(message, endpoint, relayState, openSigningKey());
      return signatures.run(accountId, sign, clientGone(reply), { sender: senderOf(reply) });
    },

    /** Creates the handler that runs a step. A refusal is shown on a page, because a person is waiting. */
    page(
      { event, headers, refusal }: PageKind,
      step: (request: RouteRequest, reply: Reply, known: Known) => Promise<Step>,
    ) {
      return async (request: RouteRequest, reply: Reply) => {
        const { requestId } = reply.locals.info;
        const known: Known = { link: beginLink(request.params.routeId), host: null, user: null };
        reply.setHeader('Cache-Control', 'no-store');
        reply.setHeader('Referrer-Policy', 'no-referrer');
        try {
          const taken = await step(request, reply, known);
          answer(reply, 'title' in taken ? { link: known.link, ...taken } : taken, headers, requestId);
        } catch (error) {
          if (!(error instanceof LoginRefusal)) throw error;
          refused(event, request.params.routeId, reply, error, known);
          answer(reply, { ...refusal(error.reason), link: known.link, status: 403 }, headers, requestId);
        }
      };
    },
  };
}

export type SamlPages = ReturnType<typeof createSamlPages>;

/** Returns the link to where a login begins. */
export function beginLink(routeId: string): PageLink {
  return { href: loginPath(routeId), text: 'Log in again' };
}

function noLogin(): SallyportError {
  return new SallyportError('NOT_FOUND', 'There is no login here.');
}

/**
 * Returns the network of a client where the number of proxies is not configured: that of the connection, unless it comes from a proxy
 * that may ask the gate, which is trusted to say for whom.
 */
function networkBehind(request: RouteRequest | Reply['req'], proxies: Proxies): string {
  const peer = readNode(request.socket.remoteAddress ?? '');
  const forwardedFor = request.headers['x-forwarded-for'];
  const client =
    peer === null || forwardedFor === undefined || !isProxy(proxies, peer)
      ? peer
      : (proxiedClient(String(forwardedFor), proxies) ?? peer);
  return networkOf(client);
}

function answer(reply: Reply, step: Step, headers: PageKind['headers'], requestId: string): void {
  const type = 'text/html; charset=utf-8';
  const setHeaders = (given: PageKind['headers']) => {
    for (const [name, value] of Object.entries(given)) reply.setHeader(name, value);
  };
  if ('title' in step) {
    setHeaders(headers);
    send(reply, step.status ?? 200, type, writePage(step.title, step.text, requestId, step.link));
  } else if ('fields' in step) {
    setHeaders(formHeaders);
    send(reply, 200, type, writeFormPage(step));
  } else {
    reply.setHeader('Location', step.location);
    send(reply, 'status' in step ? step.status : 302, 'text/plain; charset=utf-8', '');
  }
}
