// What every resolver gets: whom the request acts for, and what it may use.

import type { ActivityReads } from '../domain/activity.ts';
import type { Address } from '../domain/cidr.ts';
import type { ErrorCode } from '../domain/errors.ts';
import type { GateRulesFor } from '../domain/gate/decide.ts';
import { type CollectionKind, hasCollection, kindByPrefixOf, kinds } from '../domain/ids.ts';
import type { OwnTraffic } from '../domain/own-traffic.ts';
import type { DecidingRule } from '../domain/rule-table.ts';
import type { AccountScope } from '../storage/account-scope.ts';
import type { Accounts } from '../storage/accounts.ts';
import type { AttentionSource } from '../storage/attention.ts';
import type { Identity } from '../storage/credentials.ts';
import type { IdempotentRequest } from '../storage/idempotency.ts';
import type { Restorers } from '../storage/restoring.ts';
import type { Budget } from './budget.ts';

/** Which part of the server answers a request; `unknown` where none does. */
export type Surface = 'rest' | 'graphql' | 'dashboard' | 'published' | 'login' | 'page' | 'probe' | 'unknown';

/** What becomes known of a request while it is answered, for the log and the metrics. It never holds what was sent. */
export interface Trace {
  surface: Surface;
  /** The route, or the field of a GraphQL request: such as `GET /ip_policies/{id}` or `createIpPolicy`; null until it is known. */
  route: string | null;
  /** The name that the client gave its GraphQL operation. */
  operationName: string | null;
  accountId: string | null;
  /** Code of the first error in the answer. */
  errorCode: ErrorCode | null;
  /** The IP restrictions that object to the address of the client; null where none does. */
  ipRestrictions: TracedObjections | null;
  /** Why the server has ended what it had begun to answer: a stream of events, or the connection of a slow reader. */
  ended?: string;
  /** Set for streams, whose time says nothing of how fast they are served. */
  isStream?: true;
}

/** What IP restrictions have against a request, by their ids. */
export interface TracedObjections {
  /** Null where it is not known. */
  readonly address: string | null;
  readonly refusedBy: readonly string[];
  readonly wouldRefuse: readonly string[];
}

/** Gives the rules of a policy after a change, of those before. */
export type RulesAfter = (rules: readonly DecidingRule[]) => readonly DecidingRule[];

/** The running program. */
export interface Service {
  readonly version: string;
  readonly startedAt: Date;
  /** What people call the engine of its database. */
  readonly database: string;
  /** Says in sentences what is wrong with it; none where all is well. */
  readonly problems: () => Promise<string[]>;
}

/** The context of one request, the same for both surfaces. */
export interface Context {
  /** Id of the request (`op_...`), equal to the response header and to the log line. */
  readonly requestId: string;
  /** Scheme and host that URLs in answers start with, without a slash at the end. */
  readonly baseUrl: string;
  readonly identity: Identity;
  readonly trace: Trace;
  /** Where the request comes from; null where that cannot be known. */
  readonly clientAddress: Address | null;
  /** The type of IP restrictions that judge the request. */
  readonly traffic: OwnTraffic;
  /** How long sessions of the dashboard last unused, and what ends the live streams of those that have just been ended. */
  readonly dashboardSessions: { readonly idleSeconds: number; readonly look: () => void };
  /** Refuses a change of an IP policy that would shut out the client, as `refuseLockoutByPolicy` does. */
  readonly refuseLockout: (findPolicy: () => Promise<string>, rulesAfter: RulesAfter) => Promise<void>;
  /** Notes for the trail that the request was refused something, with the code. */
  readonly noteRefusal: (code: ErrorCode) => void;
  /** The data of the account that the request acts for. */
  readonly scope: AccountScope;
  /** What is known of a request that carries an idempotency key; null for all others, and for those that only read. */
  readonly idempotency: IdempotentRequest | null;
  readonly accounts: Accounts;
  /** How objects get back what they were. */
  readonly restorers: Restorers;
  /** What looks for things that need attention. */
  readonly attentionSources: readonly AttentionSource[];
  /** What has happened lately, as far as this server knows. */
  readonly activity: ActivityReads;
  readonly service: Service;
  /** Days after the end of a host certificate in which its host may still renew it. */
  readonly renewalGraceDays: number;
  /** What the gate knows of the edges of the account. */
  readonly gateRulesFor: GateRulesFor;
  /** What the answer may cost, and has cost so far. */
  readonly budget: Budget;
  /** Takes units of the rate limit of the key, beside the first one of every request. */
  readonly charge: (units: number) => void;
  /** True for documents that came with the request, which are then held to the limits on size and cost. */
  readonly untrustedDocument: boolean;
  /**
   * Gives a signal that fires when the client is gone before it has its answer: work that nobody waits for need not begin. Made on
   * demand, because few requests need one.
   */
  readonly signal: () => AbortSignal;
  /** Throws the reason of `signal` once the client is gone, without making a signal, which takes as long as a short statement. */
  readonly expectClient: () => void;
  /**
   * Asks anew whether the request may be answered, once it has waited for its turn: its key can have been revoked meanwhile. Throws
   * UNAUTHENTICATED, IP_RESTRICTED, and UNAVAILABLE where neither can be told.
   */
  readonly identifyAgain: () => Promise<unknown>;
  /** The body of a GraphQL request, where it has one. */
  readonly body: object | undefined;
}

/** Gives the URL of the list of a kind. */
export function collectionUri({ baseUrl }: Pick<Context, 'baseUrl'>, kind: CollectionKind): string {
  return `${baseUrl}${kinds[kind].path}`;
}

/** Gives the URL of an object, which its id tells alone. Throws `Error` for an id that no collection holds. */
export function uriOf(context: Pick<Context, 'baseUrl'>, id: string): string {
  const kind = kindByPrefixOf(id);
  if (kind === null || !hasCollection(kind)) throw new Error(`No collection holds ${id}.`);
  return `${collectionUri(context, kind)}/${id}`;
}
