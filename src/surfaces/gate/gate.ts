// The gate: reverse proxies ask it about each request before they pass it on. It refuses what it cannot read.

import type { IncomingHttpHeaders as Headers, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { chain, type MaybePromise } from '../../domain/concurrency/at-once.ts';
import { remembering } from '../../domain/concurrency/remember.ts';
import { SallyportError } from '../../domain/errors.ts';
import { isTarget } from '../../domain/gate/cookies.ts';
import {
  decideBeforeLogin,
  decideLogin,
  type GateRequest,
  type GateRules,
  type GateRulesFor,
  type LoginNeeded,
} from '../../domain/gate/decide.ts';
import type { RouteRule } from '../../domain/gate/edge-table.ts';
import type { SignIdentity } from '../../domain/gate/identity-token.ts';
import type { Session } from '../../domain/gate/login.ts';
import { isProxy, type Proxies } from '../../domain/gate/proxies.ts';
import { originOf, readHostport, readPath, splitUrl } from '../../domain/gate/url.ts';
import { readNode } from '../../domain/ip/node-address.ts';
import { createDepartures } from '../../wire/departures.ts';
import {
  answerPass,
  answerRedirect,
  answerRefusal,
  answerUnauthenticated,
  answerWrongKey,
  type Redirect,
} from './answer.ts';
import { type Brought, broughtBy, forwardedHeaders, keyIn } from './brought.ts';
import { isOwnWish, purposeOf } from './navigation.ts';
import { type GateSummary, type Outcome, outcomeOf, particularsOf, refusal } from './outcome.ts';
import { isLogoutTarget, isSessionTarget, logoutUrl, startOf } from './own-paths.ts';
import type { PageLink, refusalText } from './page.ts';
import type { JudgeProgram } from './programs.ts';
import { type Question, readers, type Way } from './readers.ts';
import type { Visitors } from './visitors.ts';

/** The outcome of a question, with the session of the request, where the browser is sent, and the link on the page of a refusal. */
interface Verdict {
  readonly outcome: Outcome;
  readonly session?: Session | null;
  /** The signed identity of the sender; empty where none is wanted. */
  readonly identity?: string;
  /** The headers that the application gets in place of the client's. */
  readonly forwarded?: readonly string[];
  /** Says that the request came with a wrong API key, and in how many seconds to try again if there were many; null for at once. */
  readonly wrongKey?: { readonly retrySeconds: number | null };
  /** The reference of a refusal, if it has one already. */
  readonly reference?: string | null;
  readonly redirect?: Redirect | null;
  readonly link?: PageLink | null;
  /** The text on the page of a refusal, where its reason does not tell. */
  readonly kind?: keyof typeof refusalText;
}

/** An answer that is ready to be sent. */
interface Answer {
  readonly reply: ServerResponse;
  readonly way: Way;
  /** As it was asked about. */
  readonly edgeId: string;
  /** The request that the question was about; null if that could not be read. */
  readonly asked: GateRequest | null;
  readonly verdict: Verdict;
  /** The reference of the failure; null if nothing failed. */
  readonly reference: string | null;
  readonly seconds: number;
}

/** Most answers sent together: at twenty microseconds for each decision, the first one waits for a millisecond. */
const answersTogetherMax = 50;

/** Dependencies of `createGate`. */
export interface GateOptions {
  /** Who may ask. For all others, the gate does not exist. */
  readonly proxies: Proxies;
  /** Rejects if the storage is unavailable. */
  readonly rulesFor: GateRulesFor;
  readonly visitors: Visitors;
  readonly judgeProgram: JudgeProgram;
  /** Null without an address of our own, which signed identities name. */
  readonly signIdentity: SignIdentity | null;
  readonly now: () => Date;
  readonly newRequestId: () => string;
  /** Receives the outcome of each question. */
  readonly decided: (summary: GateSummary) => void;
  /** Receives the address of a peer that asks and may not. */
  readonly strangerAsked: (address: string) => void;
  /** Receives the causes of failures. */
  readonly reportFailure: (requestId: string, error: unknown) => void;
}

/** The kind of text on the page of a refusal, by reason; `refused` for all others. */
const refusalKinds: Partial<Record<Outcome['reason'], keyof typeof refusalText>> = {
  edge: 'unknown',
  host: 'unknown',
  route: 'unknown',
  ip_restriction: 'address',
  failure: 'failed',
  ticket: 'login',
  logout: 'logout',
};

/** The path of a question: the way of asking, the edge, and what follows. */
const questionForm = /^\/gate\/(auth-request|forward-auth|ext-authz)(?=[/?]|$)\/?([^/?]*)(.*)$/s;

/** What the path of a question says. */
interface Asked {
  readonly way: Way;
  readonly edgeId: string;
  readonly rest: string;
}

/**
 * How many paths are remembered. All questions about an edge have the same path, except Envoy's, and Caddy's if it appends the
 * client's query.
 */
const pathsMax = 2_000;

/** Reads the path of a question; null for any other path. */
function readAsked(url: string): Asked | null {
  const [, way, edgeId = '', rest = ''] = questionForm.exec(url) ?? [];
  return isWay(way) ? { way, edgeId, rest } : null;
}

/**
 * Creates the gate.
 *
 * @returns a function that answers a question, and returns whether the request was one
 */
export function createGate(options: GateOptions) {
  const { proxies, rulesFor, visitors, judgeProgram, signIdentity, now } = options;
  const { newRequestId, decided, strangerAsked, reportFailure } = options;
  const readPathOf = remembering(readAsked, pathsMax);
  const askers = new WeakMap<Socket, boolean>();
  const mayAsk = (socket: Socket): boolean => {
    let may = askers.get(socket);
    if (may === undefined) {
      const address = readNode(socket.remoteAddress ?? '');
      may = address !== null && isProxy(proxies, address);
      askers.set(socket, may);
    }
    return may;
  };

  const judgeLogout = async (
    rules: GateRules,
    asked: GateRequest,
    headers: Headers,
    cookies: string,
  ): Promise<Verdict> => {
    const outcome = refusal('logout', rules);
    const mayLeave = isOwnWish(headers) && /^(?:GET|POST)$/.test(asked.method);
    const redirect = mayLeave ? await visitors.leave(rules, asked, cookies) : null;
    return redirect === null
      ? { outcome, link: logoutLink(asked) }
      : { outcome: { ...outcome, result: 'logout' }, redirect };
  };

  const judgeTicket = async (rules: GateRules, asked: GateRequest, cookies: string): Promise<Verdict> => {
    const outcome = refusal('ticket', rules);
    const redirect = await visitors.admit(rules, asked, cookies);
    if (redirect !== null) return { outcome: { ...outcome, result: 'login' }, redirect };
    const href = visitors.again(rules.edge, asked, cookies);
    return { outcome, link: href === null ? null : { href, text: 'Log in again' } };
  };

  /** Judges a request to a route that demands a login, for which there is no session. */
  const judgeStranger = (
    rules: GateRules,
    { route, hostport }: LoginNeeded,
    refused: Outcome,
    asked: GateRequest,
    headers: Headers,
    cookies: string,
  ): MaybePromise<Verdict> => {
    const outcome = { ...refused, result: 'login' } as const;
    const href =
      asked.scheme === 'https' ? originOf(hostport) + wayBack(rules, route, hostport, headers.referer) : null;
    const link = href === null ? null : { href, text: 'Log in' };
    if (purposeOf(headers, asked.method) !== 'view') return { outcome, link };
    return chain<Redirect | null, Verdict>(visitors.send(rules.edge, route.id, asked, cookies), (redirect) =>
      redirect === null ? { outcome: refused } : { outcome, redirect },
    );
  };

  /** Returns what lets a request pass: its sender, if known, and what the application gets. */
  const passing = (
    { edge }: GateRules,
    hostport: string | null,
    outcome: Outcome,
    session: Session | null,
    brought: Brought,
  ): Verdict => {
    const isSigned = edge.signsIdentity && session !== null && hostport !== null && signIdentity !== null;
    const place = { edgeId: edge.id, hostport: hostport ?? '' };
    const identity = isSigned ? signIdentity(session, place, now().getTime()) : '';
    return { outcome, session, identity, forwarded: forwardedHeaders(brought, edge.forwardsKeys) };
  };

  /** Judges a request that brings an API key. It is never led to a login, for which it would have no use. */
  const judgeKey = async (
    rules: GateRules,
    needed: LoginNeeded,
    token: string,
    asked: GateRequest,
    brought: Brought,
  ): Promise<Verdict> => {
    const { decision, session, reference, retrySeconds } = await judgeProgram(token, rules.edge, needed, asked);
    const decided = outcomeOf(decision, rules, asked.address);
    if (decision.allowed) {
      const outcome = decided.result === 'allow' ? ({ ...decided, reason: 'key' } as const) : decided;
      return passing(rules, needed.hostport, outcome, session, brought);
    }
    const wrongKey = session === null ? { wrongKey: { retrySeconds } } : {};
    return { outcome: decided, session, reference, ...wrongKey };
  };

  /** Judges a question about an edge that exists. */
  const judge = (
    rules: GateRules,
    asked: GateRequest,
    rawHeaders: readonly string[],
    { req: { headers } }: ServerResponse,
  ): MaybePromise<Verdict> => {
    const brought = broughtBy(rawHeaders);
    const { cookies } = brought;
    if (isLogoutTarget(asked.target)) return judgeLogout(rules, asked, headers, cookies);
    if (isSessionTarget(asked.target)) return judgeTicket(rules, asked, cookies);
    const before = decideBeforeLogin(rules, asked);
    if (!('login' in before)) {
      const outcome = outcomeOf(before, rules, asked.address);
      // Also where there is nothing, so that outsiders cannot tell what there is.
      const isOutside = rules.objections.refusedBy.length > 0;
      if (isOutside) return { outcome, kind: 'address', link: retryLink(asked) };
      if (before.allowed) return passing(rules, null, outcome, null, brought);
      return outcome.reason === 'ip_restriction' ? { outcome, link: retryLink(asked) } : { outcome };
    }
    const token = keyIn(brought);
    if (token !== null) return judgeKey(rules, before, token, asked, brought);
    return chain<Session | null, Verdict>(visitors.find(rules.edge, before, cookies), (session) => {
      const outcome = outcomeOf(decideLogin(before, session), rules, asked.address);
      if (session === null) return judgeStranger(rules, before, outcome, asked, headers, cookies);
      // Somebody else may be let in: the way to another user is to log out.
      if (outcome.result === 'refuse') return { outcome, session, link: logoutLink(asked) };
      return passing(rules, before.hostport, outcome, session, brought);
    });
  };

  const send = ({ reply, way, edgeId: askedEdge, asked, verdict, reference, seconds }: Answer) => {
    const { outcome, session = null, redirect = null, link = null, kind, wrongKey } = verdict;
    const { result, reason, edgeId, accountId, routeId, ipRestrictions } = outcome;
    const { method } = asked ?? {};
    let requestId = reference ?? verdict.reference ?? null;
    try {
      if (wrongKey !== undefined) {
        requestId ??= newRequestId();
        answerWrongKey(reply, way, requestId, wrongKey.retrySeconds);
      } else if (result === 'refuse') {
        requestId ??= newRequestId();
        answerRefusal(reply, kind ?? refusalKinds[reason] ?? 'refused', method, requestId, link);
      } else if (redirect !== null) answerRedirect(reply, way, redirect);
      else if (result === 'login') {
        requestId ??= newRequestId();
        answerUnauthenticated(reply, way, method, requestId, link);
      } else answerPass(reply, session, verdict.identity ?? '', verdict.forwarded ?? []);
      const particulars = result === 'allow' ? null : particularsOf(outcome, askedEdge, asked, session);
      decided({ way, result, reason, edgeId, accountId, routeId, ipRestrictions, requestId, particulars, seconds });
    } catch (error) {
      reportFailure(requestId ?? newRequestId(), error);
      reply.destroy();
    }
  };
  const depart = createDepartures(send, answersTogetherMax);

  /** Answers a question. A decision from memory takes no promise, which would make it a tenth slower. */
  const answer = (way: Way, edgeId: string, question: Question, reply: ServerResponse): void => {
    const begun = performance.now();
    let asked: GateRequest | null = null;
    const leave = (verdict: Verdict, reference: string | null = null) => {
      depart({ reply, way, edgeId, asked, verdict, reference, seconds: (performance.now() - begun) / 1000 });
    };
    const fail = (error: unknown) => {
      const reference = newRequestId();
      if (!(error instanceof SallyportError) || error.cause !== undefined) reportFailure(reference, error);
      leave({ outcome: refusal('failure'), link: retryLink(asked) }, reference);
    };
    try {
      const read = readers[way](question, proxies);
      if (read === null) {
        leave({ outcome: refusal('request') });
        return;
      }
      asked = read;
      const judged = chain<GateRules | null, Verdict>(rulesFor(edgeId, read.address), (rules) =>
        rules === null ? { outcome: refusal('edge') } : judge(rules, read, question.rawHeaders, reply),
      );
      if (judged instanceof Promise) judged.then(leave, fail);
      else leave(judged);
    } catch (error) {
      fail(error);
    }
  };

  return (request: IncomingMessage, reply: ServerResponse): boolean => {
    const { url = '', method, rawHeaders, socket } = request;
    if (!url.startsWith('/gate/')) return false;
    // Checked before the path is read and remembered, so that strangers cannot fill that memory.
    if (!mayAsk(socket)) {
      if (questionForm.test(url)) strangerAsked(socket.remoteAddress ?? 'an unknown address');
      return false;
    }
    const asked = readPathOf(url);
    if (asked === null) return false;
    const { way, edgeId, rest } = asked;
    answer(way, edgeId, { method, rawHeaders, rest }, reply);
    return true;
  };
}

function logoutLink({ scheme, host }: GateRequest): PageLink | null {
  const hostport = readHostport(scheme, host);
  return hostport === null || scheme !== 'https' ? null : { href: logoutUrl(hostport), text: 'Log out' };
}

/** Returns the link to the same page, which may be there later or from elsewhere; null if it is not one to ask for again. */
function retryLink(asked: GateRequest | null): PageLink | null {
  const hostport = asked === null ? null : readHostport(asked.scheme, asked.host);
  if (asked?.method !== 'GET' || hostport === null || asked.scheme !== 'https' || !isTarget(asked.target)) return null;
  return { href: originOf(hostport) + asked.target, text: 'Try again' };
}

/** Returns the target at which a visitor of a route goes on after a login: the page that the request came from, or its start. */
function wayBack({ allowSemicolon }: GateRules, route: RouteRule, hostport: string, referer = ''): string {
  const { scheme = '', host = '', target = '' } = splitUrl(referer) ?? {};
  const read = readPath(target, allowSemicolon);
  const isHere = scheme === 'https' && readHostport(scheme, host) === hostport && isTarget(target) && 'path' in read;
  if (!isHere || target.startsWith('/.sallyport/')) return startOf(route);
  // It is quoted in headers and in JSON.
  return target.replace(/["'<>]/g, encodeURIComponent).replace(/'/g, '%27');
}

function isWay(text: string | undefined): text is Way {
  return text !== undefined && Object.hasOwn(readers, text);
}
