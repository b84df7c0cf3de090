// The gate: reverse proxies ask it about each request before they pass it on. Whatever it cannot read, it refuses.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { decide, type GateDecision, type GateRequest, type GateTables, refuseMalformed } from '../domain/gate/decide.ts';
import { type Proxies, readAddress } from '../domain/gate/proxies.ts';
import { isIdOf } from '../domain/ids.ts';
import { answerPass, answerRefusal } from './answer.ts';
import { readers, type Way } from './readers.ts';

/** What came of a question, for the log and the metrics. It holds nothing that a client has sent. */
export interface GateSummary {
  readonly way: Way;
  readonly result: 'allow' | 'warn' | 'refuse';
  /** The check that refused; `edge` for an edge that does not exist, and `failure` where nothing could be decided. */
  readonly reason: string;
  /** Null unless it has the form of one. */
  readonly edgeId: string | null;
  readonly routeId: string | null;
  /** The reference that the client was given; null for a request that passes. */
  readonly requestId: string | null;
  readonly seconds: number;
}

/** What the gate works with. */
export interface GateOptions {
  /** Who may ask. For everybody else there is no gate. */
  readonly proxies: Proxies;
  /** Gets what a decision about an edge rests on; null for an edge that does not exist. Rejects when the storage cannot serve it. */
  readonly tablesOf: (edgeId: string) => Promise<GateTables | null>;
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
export function createGate({ proxies, tablesOf, newRequestId, decided, reportFailure }: GateOptions) {
  const askers = new WeakMap<Socket, boolean>();
  const mayAsk = (socket: Socket): boolean => {
    const known = askers.get(socket);
    if (known !== undefined) return known;
    const address = readAddress(socket.remoteAddress ?? '');
    const may = address !== null && proxies.has(address);
    askers.set(socket, may);
    return may;
  };

  const judge = async (edgeId: string | null, asked: GateRequest | null): Promise<[reason: string, GateDecision]> => {
    if (asked === null) return ['request', refuseMalformed('')];
    const tables = edgeId === null ? null : await tablesOf(edgeId);
    if (tables === null) return ['edge', refuseMalformed('')];
    const decision = decide(tables, asked, null);
    return [decision.steps.at(-1)?.check ?? 'request', decision];
  };

  return (request: IncomingMessage, reply: ServerResponse): boolean => {
    const { url = '', method, rawHeaders, socket } = request;
    if (!url.startsWith('/gate/')) return false;
    const [, way, id = '', rest = ''] = questionForm.exec(url) ?? [];
    if (!isWay(way) || !mayAsk(socket)) return false;
    return true;
  };
}

function isWay(text: string | undefined): text is Way {
  return text !== undefined && Object.hasOwn(readers, text);
}
