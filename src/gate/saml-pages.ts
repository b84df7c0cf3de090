// What the pages at our own address share, to which identity providers and the gate send browsers: how they find the module of
// their route, and how they answer.

import type { Request } from 'express';
import { SallyportError } from '../domain/errors.ts';
import type { LoginModule, Logins } from '../domain/gate/login.ts';
import type { Endpoint } from '../domain/saml/login-provider.ts';
import { type Message, type Outgoing, sendMessage } from '../domain/saml/outgoing.ts';
import { LoginRefusal, type RefusalReason } from '../domain/saml/refusal.ts';
import { type ServiceProviderUrls, serviceProviderUrls } from '../domain/saml/service-provider.ts';
import { createWorkQueue } from '../domain/work-queue.ts';
import { clientAddress, clientNetwork } from '../http/client-address.ts';
import { clientGone, type Reply } from '../http/request.ts';
import { send } from '../http/send.ts';
import { formHeaders, writeFormPage, writePage } from './page.ts';
import type { LoginFailure } from './session-events.ts';

/** Dependencies of `createSamlPages`. */
export interface SamlPageOptions {
  readonly logins: Logins;
  /**
   * Scheme and host of our own pages; null if not configured. Without them no message is accepted: its intended recipient would be
   * compared with a header that the sender can choose.
   */
  readonly baseUrl: string | null;
  /** Number of proxies in front of our own pages. */
  readonly trustProxy: number;
  /** Receives why a login or logout has failed, and the reply that says so. */
  readonly failed: (failure: LoginFailure, reply: Reply) => void;
}

export type RouteRequest = Request<{ routeId: string }>;

/** How a step ends: the browser is redirected, takes a message with it, or shows a page. */
export type Step =
  | { readonly status: 302 | 303; readonly location: string }
  | Outgoing
  | { readonly title: string; readonly text: string; readonly status?: 403 };

/** How one kind of page reports what went wrong, and with which headers. */
export interface PageKind {
  readonly event: LoginFailure['event'];
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal: (reason: RefusalReason) => { readonly title: string; readonly text: string };
}

/**
 * Checks of messages: checking a forgery takes time, and anybody can send one. Each message that waits takes up to half a megabyte,
 * so all of them together take 200 MB at most.
 */
const checks = createWorkQueue({
  atOnce: 1,
  waitingMax: 150,
  waitingMaxOfSender: 100,
  waitingMaxOfAll: 400,
  rests: true,
});
/** Our own signatures: anybody who begins a login gets one. Apart from the checks, so that forgeries do not hold up logins. */
const signatures = createWorkQueue({ atOnce: 1, waitingMax: 200, waitingMaxOfSender: 150, rests: true });
const detailCharactersMax = 300;

/** Creates what the pages share. */
export function createSamlPages({ logins, baseUrl, trustProxy, failed }: SamlPageOptions) {
  /** Notes why a login or logout failed. */
  const refused = (event: LoginFailure['event'], routeId: string, reply: Reply, { reason, message }: LoginRefusal) => {
    const { requestId } = reply.locals.info;
    failed({ event, requestId, routeId, reason, detail: message.slice(0, detailCharactersMax) }, reply);
  };
  return {
    refused,

    /** Finds the module of the page. Throws NOT_FOUND. */
    async findModule(request: RouteRequest, reply: Reply): Promise<LoginModule> {
      const module = await logins.findModule(request.params.routeId);
      if (module === null) throw new SallyportError('NOT_FOUND', 'There is no login here.');
      reply.locals.trace.accountId = module.accountId;
      return module;
    },

    /** Returns our own URLs. Throws LoginRefusal if they are not known. */
    urlsOf({ routeId }: LoginModule): ServiceProviderUrls {
      if (baseUrl === null) throw new LoginRefusal('disabled', 'BASE_URL is not set.');
      return serviceProviderUrls(baseUrl, routeId);
    },

    /** Returns the address of the browser; null if unknown. */
    addressOf: (reply: Reply): string | null => clientAddress(reply.req, trustProxy)?.toString() ?? null,

    /** Checks a message in its turn. Throws as `WorkQueue.run`. */
    checkInTurn<T>({ accountId }: LoginModule, reply: Reply, check: () => T | Promise<T>): Promise<T> {
      return checks.run(accountId, check, clientGone(reply), { sender: clientNetwork(reply.req, trustProxy) });
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
      return signatures.run(accountId, sign, clientGone(reply), { sender: clientNetwork(reply.req, trustProxy) });
    },

    /** Creates the handler that runs a step. A refusal is shown on a page, because a person is waiting. */
    page({ event, headers, refusal }: PageKind, step: (request: RouteRequest, reply: Reply) => Promise<Step>) {
      return async (request: RouteRequest, reply: Reply) => {
        const { requestId } = reply.locals.info;
        reply.setHeader('Cache-Control', 'no-store');
        reply.setHeader('Referrer-Policy', 'no-referrer');
        try {
          answer(reply, await step(request, reply), headers, requestId);
        } catch (error) {
          if (!(error instanceof LoginRefusal)) throw error;
          refused(event, request.params.routeId, reply, error);
          answer(reply, { ...refusal(error.reason), status: 403 }, headers, requestId);
        }
      };
    },
  };
}

export type SamlPages = ReturnType<typeof createSamlPages>;

function answer(reply: Reply, step: Step, headers: PageKind['headers'], requestId: string): void {
  const type = 'text/html; charset=utf-8';
  const setHeaders = (given: PageKind['headers']) => {
    for (const [name, value] of Object.entries(given)) reply.setHeader(name, value);
  };
  if ('title' in step) {
    setHeaders(headers);
    send(reply, step.status ?? 200, type, writePage(step.title, step.text, requestId));
  } else if ('fields' in step) {
    setHeaders(formHeaders);
    send(reply, 200, type, writeFormPage(step));
  } else {
    reply.setHeader('Location', step.location);
    send(reply, 'status' in step ? step.status : 302, 'text/plain; charset=utf-8', '');
  }
}
