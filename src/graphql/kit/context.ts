// The context that every resolver gets: whom the request acts for, and the services it may use.

import type { ActivityInterval, ActivityRange } from '../../domain/access/activity.ts';
import type { WarningsOf } from '../../domain/access/warnings.ts';
import type { ErrorCode } from '../../domain/error-catalogue.ts';
import type { GateRulesFor } from '../../domain/gate/decide.ts';
import type { Address } from '../../domain/ip/cidr.ts';
import type { OwnTraffic } from '../../domain/ip/own-traffic.ts';
import type { ActedList } from '../../domain/ip/range-list.ts';
import type { StoredRule } from '../../domain/ip/rule-end.ts';
import type { Trace } from '../../domain/trace.ts';
import { type CollectionKind, hasCollection, kindByPrefixOf, kinds } from '../../domain/values/ids.ts';
import type { Budget } from '../../load/budget.ts';
import type { OpenIdClient } from '../../outgoing/openid-providers.ts';
import type { Outgoing } from '../../outgoing/outgoing.ts';
import type { IdempotentRequest } from '../../storage/idempotency.ts';
import type { Identity } from '../../storage/keys/credentials.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import type { Accounts } from '../../storage/objects/accounts.ts';
import type { SecondPerson } from '../../storage/objects/second-person.ts';

/** Computes the stored rules of a policy after a change from those before it. */
export type RulesAfter = (rules: readonly StoredRule[]) => readonly StoredRule[];

/** Computes the lists of the sources of a policy after a change from those before it. */
export type ListsAfter = (lists: readonly ActedList[]) => readonly ActedList[];

/** The running program. */
export interface Service {
  readonly version: string;
  readonly startedAt: Date;
  /** The common name of its database engine. */
  readonly database: string;
  /** Describes its current problems, one sentence each; empty if there are none. */
  readonly problems: () => Promise<string[]>;
}

/** The context of one request, the same for both surfaces. */
export interface Context {
  /** Id of the request (`op_...`), equal to the response header and to the log line. */
  readonly requestId: string;
  /** Scheme and host that URLs in answers start with, without a trailing slash. */
  readonly baseUrl: string;
  readonly identity: Identity;
  readonly trace: Trace;
  /** Where the request comes from; null if that cannot be determined. */
  readonly clientAddress: Address | null;
  /** The type of IP restrictions that apply to the request. */
  readonly traffic: OwnTraffic;
  /** How long dashboard sessions last without use, and a function that ends the live streams of sessions that have just ended. */
  readonly dashboardSessions: { readonly idleSeconds: number; readonly look: () => void };
  /** Refuses a change of an IP policy that would lock out the client, as `refuseLockoutByPolicy` does. */
  readonly refuseLockout: (
    findPolicy: () => Promise<string>,
    rulesAfter: RulesAfter,
    listsAfter?: ListsAfter,
  ) => Promise<void>;
  /** Asks a second person about changes; null for who needs nobody: the operator, and what acts in a draft. */
  readonly secondPerson: SecondPerson | null;
  /** Records in the audit trail that the request was refused, with the code. */
  readonly noteRefusal: (code: ErrorCode) => void;
  /**
   * The data of the account that the request acts for. While a mutation is under way, its changes wait for a second person, or are
   * forced (`wrappers/second-person.ts`): a copy of the context would not have what is kept with it.
   */
  scope: AccountScope;
  /** The state of a request that carries an idempotency key; null for all others, and for requests that only read. */
  readonly idempotency: IdempotentRequest | null;
  readonly accounts: Accounts;
  /** Reads what happened in the account. */
  readonly readActivity: (range: ActivityRange) => Promise<ActivityInterval[]>;
  /** Reads how often IP restrictions have warned recently, as far as this server knows. */
  readonly warningsOf: WarningsOf;
  readonly service: Service;
  /** Sends requests to servers of others. */
  readonly outgoing: Outgoing;
  /** Asks an OpenID provider what it says about itself, and whether people could log in there. Throws LoginRefusal. */
  readonly examineProvider: (client: OpenIdClient) => Promise<void>;
  /** For how many days after a host certificate has expired its host may still renew it. */
  readonly renewalGraceDays: number;
  /** Looks up the gate's rules for an edge of the account. */
  readonly gateRulesFor: GateRulesFor;
  /** The limits on the answer, and what has been counted against them so far. */
  readonly budget: Budget;
  /** Charges units to the rate limit of the key, in addition to the one that every request is charged. */
  readonly charge: (units: number) => void;
  /** Whether the document came with the request, and must therefore obey the limits on size and cost. */
  readonly untrustedDocument: boolean;
  /**
   * Returns a signal that fires if the client disconnects before it has its answer, so that unwanted work need not begin. Created
   * on demand, because few requests need it.
   */
  readonly signal: () => AbortSignal;
  /** Throws the reason of `signal` if the client is gone, without creating the signal, which costs as much as a short statement. */
  readonly expectClient: () => void;
  /**
   * Checks again whether the request may be answered, after it has waited for its turn: its key may have been revoked meanwhile.
   * Throws UNAUTHENTICATED, IP_RESTRICTED, or UNAVAILABLE if neither can be determined.
   */
  readonly identifyAgain: () => Promise<unknown>;
  /** The body of a GraphQL request, if it has one. */
  readonly body: object | undefined;
}

/** Returns the URL of the list of a kind. */
export function collectionUri({ baseUrl }: Pick<Context, 'baseUrl'>, kind: CollectionKind): string {
  return `${baseUrl}${kinds[kind].path}`;
}

/** Returns the URL of an object, derived from its id. Throws `Error` if the id belongs to no collection. */
export function uriOf(context: Pick<Context, 'baseUrl'>, id: string): string {
  const kind = kindByPrefixOf(id);
  if (kind === null || !hasCollection(kind)) throw new Error(`No collection holds ${id}.`);
  return `${collectionUri(context, kind)}/${id}`;
}
