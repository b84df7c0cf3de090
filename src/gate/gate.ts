// The gate: reverse proxies ask it about each request before they pass it on. It refuses what it cannot read.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { goOn, type Soon } from '../domain/at-once.ts';
import type { Address } from '../domain/cidr.ts';
import { SallyportError } from '../domain/errors.ts';
import {
  decideBeforeLogin,
  decideLogin,
  type GateCheck,
  type GateDecision,
  type GateRequest,
  type GateRules,
  type GateRulesFor,
  type Objections,
  type Session,
} from '../domain/gate/decide.ts';
import { isProxy, type Proxies, readAddress } from '../domain/gate/proxies.ts';
import { remembering } from '../domain/remember.ts';
import type { TracedObjections } from '../graphql/context.ts';
import { createDepartures } from '../http/departures.ts';
import {
  answerPass,
  answerRedirect,
  answerRefusal,
  answerUnauthenticated,
  navigates,
  type Redirect,
} from './answer.ts';
import type { refusalText } from './page.ts';
import { type Question, readers, type Way } from './readers.ts';
import { cookiesOf, isLogoutTarget, isOwnWish, isTicketTarget, type Visitors } from './visitors.ts';

/** The outcome of a question. */
interface Outcome {
  readonly result: 'allow' | 'warn' | 'login' | 'logout' | 'refuse';
  /**
   * The check that refused or warned; `edge` for an edge that does not exist, `failure` if nothing could be decided, `ticket` for a
   * login that ends here, `logout` for a user who logs out.
   */
  readonly reason: GateCheck | 'edge' | 'failure' | 'ticket' | 'logout' | 'none';
  /** Null unless the edge exists. */
  readonly edgeId: string | null;
  /** The account that owns the edge. */
  readonly accountId: string | null;
  readonly routeId: string | null;
  /** The objections of IP restrictions; null if there are none, or they were not asked. */
  readonly ipRestrictions: TracedObjections | null;
}

/** The outcome of a question, with the session whose request passes, or where the browser is sent. */
type Verdict = readonly [outcome: Outcome, session: Session | null, redirect: Redirect | null];

/** An answer that is ready to be sent. */
interface Answer {
  readonly reply: ServerResponse;
  readonly way: Way;
  /** Of the request that the question was about; undefined if that could not be read. */
  readonly method: string | undefined;
  readonly verdict: Verdict;
  /** The reference of the failure; null if nothing failed. */
  readonly reference: string | null;
  readonly seconds: number;
}

/** The outcome of a question, for the log and the metrics. */
export interface GateSummary extends Outcome {
  readonly way: Way;
  /** The reference that the client was given; null unless the request was refused. */
  readonly requestId: string | null;
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
  readonly newRequestId: () => string;
  /** Receives the outcome of each question. */
  readonly decided: (summary: GateSummary) => void;
  /** Receives the causes of failures. */
  readonly reportFailure: (requestId: string, error: unknown) => void;
}

/** The kind of text on the page of a refusal, by reason; `refused` for all others. */
const refusalKinds: Partial<Record<Outcome['reason'], keyof typeof refusalText>> = {
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
export function createGate({ proxies, rulesFor, visitors, newRequestId, decided, reportFailure }: GateOptions) {
  const readPathOf = remembering(readAsked, pathsMax);
  const askers = new WeakMap<Socket, boolean>();
  const mayAsk = (socket: Socket): boolean => {
    let may = askers.get(socket);
    if (may === undefined) {
      const address = readAddress(socket.remoteAddress ?? '');
      may = address !== null && isProxy(proxies, address);
      askers.set(socket, may);
    }
    return may;
  };

  const judgeLogout = async (
    rules: GateRules,
    asked: GateRequest,
    rawHeaders: readonly string[],
    cookies: string,
  ): Promise<Verdict> => {
    const outcome = refusal('logout', rules);
    const mayLeave = isOwnWish(rawHeaders) && /^(?:GET|POST)$/.test(asked.method);
    const redirect = mayLeave ? await visitors.leave(rules, asked, cookies) : null;
    return redirect === null ? [outcome, null, null] : [{ ...outcome, result: 'logout' }, null, redirect];
  };

  /** Judges a question about an edge that exists. */
  const judge = (
    rules: GateRules,
    asked: GateRequest,
    rawHeaders: readonly string[],
    reply: ServerResponse,
  ): Soon<Verdict> => {
    const cookies = cookiesOf(rawHeaders);
    if (isLogoutTarget(asked.target)) return judgeLogout(rules, asked, rawHeaders, cookies);
    if (isTicketTarget(asked.target)) {
      const outcome = refusal('ticket', rules);
      return visitors
        .admit(rules, asked, cookies)
        .then((redirect) => [redirect === null ? outcome : { ...outcome, result: 'login' }, null, redirect]);
    }
    const before = decideBeforeLogin(rules, asked);
    if (!('login' in before)) return [outcomeOf(before, rules, asked.address), null, null];
    const { route } = before;
    return goOn<Session | null, Verdict>(visitors.find(rules.edge, before, cookies), (session) => {
      const outcome = outcomeOf(decideLogin(before, session), rules, asked.address);
      if (session !== null) return [outcome, session, null];
      if (!navigates(reply, asked.method)) return [{ ...outcome, result: 'login' }, null, null];
      const redirect = visitors.send(rules.edge, route.id, asked, cookies);
      return [redirect === null ? outcome : { ...outcome, result: 'login' }, null, redirect];
    });
  };

  const send = ({ reply, way, method, verdict: [outcome, session, redirect], reference, seconds }: Answer) => {
    const { result, reason, edgeId, accountId, routeId, ipRestrictions } = outcome;
    let requestId = reference;
    try {
      if (result === 'refuse') {
        requestId ??= newRequestId();
        answerRefusal(reply, refusalKinds[reason] ?? 'refused', method, requestId);
      } else if (redirect !== null) answerRedirect(reply, way, redirect);
      else if (result === 'login') answerUnauthenticated(reply);
      else answerPass(reply, session);
      decided({ way, result, reason, edgeId, accountId, routeId, ipRestrictions, requestId, seconds });
    } catch (error) {
      reportFailure(requestId ?? newRequestId(), error);
      reply.destroy();
    }
  };
  const depart = createDepartures(send, answersTogetherMax);

  /** Answers a question. A decision from memory takes no promise, which would make it a tenth slower. */
  const answer = (way: Way, edgeId: string, question: Question, reply: ServerResponse): void => {
    const begun = performance.now();
    let method: string | undefined;
    const leave = (verdict: Verdict, reference: string | null = null) => {
      depart({ reply, way, method, verdict, reference, seconds: (performance.now() - begun) / 1000 });
    };
    const fail = (error: unknown) => {
      const reference = newRequestId();
      if (!(error instanceof SallyportError) || error.cause !== undefined) reportFailure(reference, error);
      leave([refusal('failure'), null, null], reference);
    };
    try {
      const asked = readers[way](question, proxies);
      if (asked === null) {
        leave([refusal('request'), null, null]);
        return;
      }
      method = asked.method;
      const judged = goOn<GateRules | null, Verdict>(rulesFor(edgeId, asked.address), (rules) =>
        rules === null ? [refusal('edge'), null, null] : judge(rules, asked, question.rawHeaders, reply),
      );
      if (judged instanceof Promise) judged.then(leave, fail);
      else leave(judged);
    } catch (error) {
      fail(error);
    }
  };

  return (request: IncomingMessage, reply: ServerResponse): boolean => {
    const { url = '', method, rawHeaders, socket } = request;
    // Checked before the path is read and remembered, so that strangers cannot fill that memory.
    if (!url.startsWith('/gate/') || !mayAsk(socket)) return false;
    const asked = readPathOf(url);
    if (asked === null) return false;
    const { way, edgeId, rest } = asked;
    answer(way, edgeId, { method, rawHeaders, rest }, reply);
    return true;
  };
}

function refusal(reason: Outcome['reason'], rules: GateRules | null = null): Outcome {
  const { id: edgeId = null, accountId = null } = rules?.edge ?? {};
  return { result: 'refuse', reason, edgeId, accountId, routeId: null, ipRestrictions: null };
}

function outcomeOf({ allowed, steps, routeId }: GateDecision, rules: GateRules, address: Address): Outcome {
  const { id: edgeId, accountId } = rules.edge;
  const objects = steps.some(({ check, effect }) => check === 'address' && effect !== 'pass');
  const ipRestrictions = objects ? traced(address, rules.objections) : null;
  if (allowed) {
    const [result, reason] = objects ? (['warn', 'address'] as const) : (['allow', 'none'] as const);
    return { result, reason, edgeId, accountId, routeId, ipRestrictions };
  }
  const reason = steps.at(-1)?.check ?? 'failure';
  return { result: 'refuse', reason, edgeId, accountId, routeId, ipRestrictions };
}

function traced(address: Address, { refusedBy, wouldRefuse }: Objections): TracedObjections {
  return { address: address.toString(), refusedBy, wouldRefuse };
}

function isWay(text: string | undefined): text is Way {
  return text !== undefined && Object.hasOwn(readers, text);
}
