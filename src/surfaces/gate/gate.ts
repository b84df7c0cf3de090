// The gate: reverse proxies ask it about each request before they pass it on. It refuses what it cannot read.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { chain } from '../../domain/concurrency/at-once.ts';
import { remembering } from '../../domain/concurrency/remember.ts';
import { SallyportError } from '../../domain/errors.ts';
import type { GateRequest, GateRules, GateRulesFor } from '../../domain/gate/decide.ts';
import { isProxy, type Proxies } from '../../domain/gate/proxies.ts';
import { readNode } from '../../domain/ip/node-address.ts';
import { createDepartures } from '../../wire/departures.ts';
import type { refusalText } from '../kit/visitor-page.ts';
import { answerPass, answerRedirect, answerRefusal, answerUnauthenticated, answerWrongKey } from './answer.ts';
import { createJudge, type JudgeOptions, retryLink, type Verdict } from './judge.ts';
import { type GateSummary, type Outcome, particularsOf, refusal } from './outcome.ts';
import { type Question, readers, type Way } from './readers.ts';

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

export interface GateOptions extends JudgeOptions {
  /** Who may ask. For all others, the gate does not exist. */
  readonly proxies: Proxies;
  /** Rejects if the storage is unavailable. */
  readonly rulesFor: GateRulesFor;
  readonly newRequestId: () => string;
  /** Receives the outcome of each question. */
  readonly decided: (summary: GateSummary) => void;
  /** Returns whether a request that passes belongs to the sample that is shipped. */
  readonly isDrawn: () => boolean;
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
  const { proxies, rulesFor, newRequestId, decided, isDrawn, strangerAsked, reportFailure } = options;
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

  const judge = createJudge(options);
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
      const isSample = (result === 'allow' || result === 'warn') && isDrawn();
      const isPlain = result === 'allow' && !isSample;
      const particulars = isPlain ? null : particularsOf(outcome, askedEdge, asked, session);
      const summary = {
        way,
        result,
        reason,
        edgeId,
        accountId,
        routeId,
        ipRestrictions,
        requestId,
        particulars,
        seconds,
      };
      decided(isSample ? { ...summary, isSample } : summary);
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

function isWay(text: string | undefined): text is Way {
  return text !== undefined && Object.hasOwn(readers, text);
}
