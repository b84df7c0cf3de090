// Judges what a proxy asks about: whether the request passes, with what the application gets, or where the browser is sent.

import type { IncomingHttpHeaders as Headers } from 'node:http';
import { chain, type MaybePromise } from '../../domain/concurrency/at-once.ts';
import { isTarget } from '../../domain/gate/cookies.ts';
import {
  decideBeforeLogin,
  decideLogin,
  type GateRequest,
  type GateRules,
  type LoginNeeded,
} from '../../domain/gate/decide.ts';
import type { RouteRule } from '../../domain/gate/edge-table.ts';
import type { Session } from '../../domain/gate/login.ts';
import { originOf, readHostport, readPath, splitUrl } from '../../domain/gate/url.ts';
import type { PageLink, refusalText } from '../kit/visitor-page.ts';
import type { Redirect } from './answer.ts';
import { type Brought, broughtBy, forwardedHeaders, keyIn } from './brought.ts';
import type { SignIdentity } from './identity-signer.ts';
import { isOwnWish, purposeOf } from './navigation.ts';
import { type Outcome, outcomeOf, refusal } from './outcome.ts';
import { isLoginTarget, isLogoutTarget, isSessionTarget, loginUrl, logoutUrl, startOf, wantedIn } from './own-paths.ts';
import type { JudgeProgram } from './programs.ts';
import type { Visitors } from './visitors.ts';

/** The outcome of a question, with the session of the request, where the browser is sent, and the link on the page of a refusal. */
export interface Verdict {
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

export interface JudgeOptions {
  readonly visitors: Visitors;
  readonly judgeProgram: JudgeProgram;
  /** Null without an address of our own, which signed identities name. */
  readonly signIdentity: SignIdentity | null;
  readonly now: () => Date;
}

/** Judges a question about an edge that exists. */
export type Judge = (
  rules: GateRules,
  asked: GateRequest,
  rawHeaders: readonly string[],
  reply: { readonly req: { readonly headers: Headers } },
) => MaybePromise<Verdict>;

/** Creates the judge. */
export function createJudge({ visitors, judgeProgram, signIdentity, now }: JudgeOptions): Judge {
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
    const audience = { edgeId: edge.id, hostport: hostport ?? '' };
    const identity = isSigned ? signIdentity(session, audience, now().getTime()) : '';
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

  /** Judges a request that begins a login as one for the page that it leads to. */
  const judgeLogin: Judge = (rules, asked, rawHeaders, reply) => {
    const hostport = asked.scheme === 'https' ? readHostport(asked.scheme, asked.host) : null;
    if (hostport === null || !rules.edge.hasHost(hostport)) return { outcome: refusal('host', rules) };
    const wanted = wantedIn(rules.edge, hostport, asked.target);
    if (wanted === null) return { outcome: refusal('login', rules), kind: 'unknown' };
    const outcome = { ...refusal('login', rules), result: 'login' } as const;
    // Another host has cookies of its own, so that the login must begin there.
    if (wanted.hostport !== hostport) {
      return { outcome, redirect: { location: loginUrl(wanted.hostport, wanted.target), cookie: null } };
    }
    const page = { ...asked, method: 'GET', target: wanted.target };
    return chain(judge(rules, page, rawHeaders, reply), (verdict) =>
      verdict.forwarded === undefined
        ? verdict
        : { outcome, redirect: { location: originOf(hostport) + wanted.target, cookie: null } },
    );
  };

  const judge: Judge = (rules, asked, rawHeaders, reply) => {
    const { headers } = reply.req;
    const brought = broughtBy(rawHeaders);
    const { cookies } = brought;
    if (isLogoutTarget(asked.target)) return judgeLogout(rules, asked, headers, cookies);
    if (isSessionTarget(asked.target)) return judgeTicket(rules, asked, cookies);
    if (isLoginTarget(asked.target)) return judgeLogin(rules, asked, rawHeaders, reply);
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
  return judge;
}

function logoutLink({ scheme, host }: GateRequest): PageLink | null {
  const hostport = readHostport(scheme, host);
  return hostport === null || scheme !== 'https' ? null : { href: logoutUrl(hostport), text: 'Log out' };
}

/** Returns the link to the same page, which may be there later or from elsewhere; null if it is not one to ask for again. */
export function retryLink(asked: GateRequest | null): PageLink | null {
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
