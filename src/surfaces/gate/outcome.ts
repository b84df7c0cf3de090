// The outcome of a question to the gate, for the answer, the log and the metrics.

import type { GateCheck, GateDecision, GateRequest, GateRules, Objections } from '../../domain/gate/decide.ts';
import type { Session } from '../../domain/gate/login.ts';
import type { Address } from '../../domain/ip/cidr.ts';
import type { TracedObjections } from '../../domain/trace.ts';
import type { Way } from './readers.ts';

export interface Outcome {
  readonly result: 'allow' | 'warn' | 'login' | 'logout' | 'refuse';
  /**
   * The check that refused or warned, or that let a request pass without a login (`ip_restriction`); `edge` for an edge that does
   * not exist, `failure` if nothing could be decided, `ticket` for a login that ends here, `logout` for a user who logs out.
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

/** What is told about a request that does not simply pass, or belongs to the sample. */
export interface Particulars {
  /** The edge that was asked about, also one that does not exist. */
  readonly askedEdge: string;
  /** Null if the request could not be read, like the following. */
  readonly host: string | null;
  /** Without the query, which may contain secrets. */
  readonly path: string | null;
  readonly client: string | null;
  /** The user; null without a session. */
  readonly user: string | null;
  /** The names of the attributes that came with a user who is in no authorized group; null otherwise. */
  readonly attributes: readonly string[] | null;
}

/** The outcome of a question, for the log and the metrics. */
export interface GateSummary extends Outcome {
  readonly way: Way;
  /** The reference that the client was given; null unless the request was refused. */
  readonly requestId: string | null;
  /** Whether the request passes and belongs to the sample that is shipped. */
  readonly isSample?: boolean;
  /** Null if the request simply passes, unless it belongs to the sample. */
  readonly particulars: Particulars | null;
  readonly seconds: number;
}

/** Most characters of a part of a request in the log. */
const charactersMax = 200;

/** Returns what is told about a request. */
export function particularsOf(
  { reason }: Outcome,
  edgeId: string,
  asked: GateRequest | null,
  session: Session | null,
): Particulars {
  const cut = (text: string | undefined) => text?.slice(0, charactersMax) ?? null;
  return {
    askedEdge: edgeId.slice(0, charactersMax),
    host: cut(asked?.host),
    path: cut(asked?.target.replace(/[?#].*$/s, '')),
    client: asked?.address.toString() ?? null,
    user: cut(session?.user),
    attributes: reason === 'groups' ? (session?.attributeNames ?? null) : null,
  };
}

/** Returns the outcome of a refusal that is not by a check. */
export function refusal(reason: Outcome['reason'], rules: GateRules | null = null): Outcome {
  const { id: edgeId = null, accountId = null } = rules?.edge ?? {};
  return { result: 'refuse', reason, edgeId, accountId, routeId: null, ipRestrictions: null };
}

/** Returns the outcome of a decision. */
export function outcomeOf({ allowed, steps, routeId }: GateDecision, rules: GateRules, address: Address): Outcome {
  const { id: edgeId, accountId } = rules.edge;
  const objects = steps.some(({ check, effect }) => check === 'address' && effect !== 'pass');
  const ipRestrictions = objects ? traced(address, rules.objections) : null;
  const last = steps.at(-1)?.check;
  if (allowed) {
    // Only an address that suffices makes the check of the module the last one.
    const why = last === 'ip_restriction' ? last : 'none';
    const [result, reason] = objects ? (['warn', 'address'] as const) : (['allow', why] as const);
    return { result, reason, edgeId, accountId, routeId, ipRestrictions };
  }
  const reason = last ?? 'failure';
  return { result: 'refuse', reason, edgeId, accountId, routeId, ipRestrictions };
}

function traced(address: Address, { refusedBy, wouldRefuse }: Objections): TracedObjections {
  const idsOf = (restrictions: readonly { readonly id: string }[]) => restrictions.map(({ id }) => id);
  return { address: address.toString(), refusedBy: idsOf(refusedBy), wouldRefuse: idsOf(wouldRefuse) };
}
