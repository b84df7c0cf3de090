// The gate: reverse proxies ask it about each request before they pass it on. Whatever it cannot read, it refuses.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Address } from '../domain/cidr.ts';
import { SallyportError } from '../domain/errors.ts';
import {
  decide,
  type GateCheck,
  type GateDecision,
  type GateRulesFor,
  type Objections,
} from '../domain/gate/decide.ts';
import { isProxy, type Proxies, readAddress } from '../domain/gate/proxies.ts';
import type { TracedObjections } from '../graphql/context.ts';
import { answerPass, answerRedirect, answerRefusal, answerUnauthenticated, navigates } from './answer.ts';
import { type Question, readers, type Way } from './readers.ts';
import { cookiesOf, isTicketTarget, type Visitors } from './visitors.ts';

/** What came of a question, for the log and the metrics. */
export interface GateSummary {
  readonly way: Way;
  readonly result: 'allow' | 'warn' | 'login' | 'refuse';
  /**
   * The check that refused or warned; `edge` for an edge that does not exist, `failure` where nothing could be decided, `ticket` for
   * a login that ends here.
   */
  readonly reason: GateCheck | 'edge' | 'failure' | 'ticket' | 'none';
  /** Null unless it exists. */
  readonly edgeId: string | null;
  readonly routeId: string | null;
  /** The reference that the client was given; null for a request that passes. */
  readonly requestId: string | null;
  /** What IP restrictions object to; null where they do not, or were not asked. */
  readonly ipRestrictions: TracedObjections | null;
  readonly seconds: number;
}

/** Most restrictions that a line of the log names. */
const namedMax = 10;

/** What the gate works with. */
export interface GateOptions {
  /** Who may ask. For everybody else there is no gate. */
  readonly proxies: Proxies;
  /** Rejects where the storage cannot serve it. */
  readonly rulesFor: GateRulesFor;
  readonly visitors: Visitors;
  readonly newRequestId: () => string;
  /** Takes what came of each question. */
  readonly decided: (summary: GateSummary) => void;
  /** Takes the causes of failures. */
  readonly reportFailure: (requestId: string, error: unknown) => void;
}

/** The path of a question: the way of asking, the edge, and what follows. */
const questionForm = /^\/gate\/(auth-request|forward-auth|ext-authz)(?=[/?]|$)\/?([^/?]*)(.*)$/s;

/**
 * Creates the gate.
 *
 * @returns answers a question, and tells whether the request was one
 */
export function createGate({ proxies, rulesFor, visitors, newRequestId, decided, reportFailure }: GateOptions) {
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

  const answer = async (way: Way, edgeId: string, question: Question, reply: ServerResponse): Promise<void> => {
    const begun = performance.now();
    const asked = readers[way](question, proxies);
    const note = (result: GateSummary['result'], reason: GateSummary['reason'], about: Partial<GateSummary>) => {
      const seconds = (performance.now() - begun) / 1000;
      decided({
        way,
        result,
        reason,
        edgeId: null,
        routeId: null,
        requestId: null,
        ipRestrictions: null,
        ...about,
        seconds,
      });
    };
    const refuse = (reason: GateSummary['reason'], about: Partial<GateSummary> = {}, requestId = newRequestId()) => {
      note('refuse', reason, { ...about, requestId });
      const text = reason === 'failure' ? 'failed' : reason === 'ticket' ? 'login' : 'refused';
      answerRefusal(reply, text, asked?.method, requestId);
    };
    if (asked === null) return refuse('request');
    try {
      const rules = await rulesFor(edgeId, asked.address);
      if (rules === null) return refuse('edge');
      const cookies = cookiesOf(question.rawHeaders);
      if (isTicketTarget(asked.target)) {
        const redirect = await visitors.admit(rules, asked, cookies);
        if (redirect === null) return refuse('ticket', { edgeId: rules.edge.id });
        answerRedirect(reply, way, redirect);
        return note('login', 'ticket', { edgeId: rules.edge.id });
      }
      let decision = decide(rules, asked, null);
      if (lacksLogin(decision)) {
        const visitor = await visitors.find(rules.edge, decision.routeId, asked, cookies);
        if (visitor !== null) decision = decide(rules, asked, visitor);
      }
      const { allowed, routeId, steps, session } = decision;
      const objects = steps.some(({ check, effect }) => check === 'address' && effect !== 'pass');
      const ipRestrictions = objects ? traced(asked.address, rules.objections) : null;
      const about = { edgeId: rules.edge.id, routeId, ipRestrictions };
      if (lacksLogin(decision)) {
        const isSeen = navigates(reply, asked.method);
        const redirect = isSeen ? visitors.send(rules.edge, decision.routeId, asked, cookies) : null;
        if (isSeen && redirect === null) return refuse('login', about);
        if (redirect === null) answerUnauthenticated(reply);
        else answerRedirect(reply, way, redirect);
        return note('login', 'login', about);
      }
      if (!allowed) return refuse(steps.at(-1)?.check ?? 'failure', about);
      answerPass(reply, session);
      if (objects) note('warn', 'address', about);
      else note('allow', 'none', about);
    } catch (error) {
      const requestId = newRequestId();
      if (!(error instanceof SallyportError) || error.cause !== undefined) reportFailure(requestId, error);
      if (reply.headersSent) reply.destroy();
      else refuse('failure', { edgeId }, requestId);
    }
  };

  return (request: IncomingMessage, reply: ServerResponse): boolean => {
    const { url = '', method, rawHeaders, socket } = request;
    if (!url.startsWith('/gate/')) return false;
    const [, way, edgeId = '', rest = ''] = questionForm.exec(url) ?? [];
    if (!isWay(way) || !mayAsk(socket)) return false;
    void answer(way, edgeId, { method, rawHeaders, rest }, reply);
    return true;
  };
}

function traced(address: Address, { refusedBy, wouldRefuse }: Objections): TracedObjections {
  const named = { refusedBy: refusedBy.slice(0, namedMax), wouldRefuse: wouldRefuse.slice(0, namedMax) };
  return { address: address.toString(), ...named };
}

/** Tells whether a request is refused for the lack of a login alone. */
function lacksLogin(decision: GateDecision): decision is GateDecision & { routeId: string } {
  return !decision.allowed && decision.routeId !== null && decision.steps.at(-1)?.check === 'login';
}

function isWay(text: string | undefined): text is Way {
  return text !== undefined && Object.hasOwn(readers, text);
}
