// Which IP restrictions object to an address, answered from memory for the enforcement points that ask on every request.

import { LRUCache } from 'lru-cache';
import type { MaybePromise } from '../../domain/concurrency/at-once.ts';
import { SallyportError } from '../../domain/errors.ts';
import type { Objections } from '../../domain/gate/decide.ts';
import type { Address } from '../../domain/ip/cidr.ts';
import { type OwnTraffic, typesJudging } from '../../domain/ip/own-traffic.ts';
import type { RestrictionType } from '../../domain/ip/restriction-types.ts';
import { endlessMs } from '../../domain/ip/rule-end.ts';
import { remedies } from '../../domain/remedies.ts';
import type { Nameable } from '../../domain/wording.ts';
import { type AccountView, perDatabase } from '../../storage/objects/account-scope.ts';
import { trustMs } from '../../storage/objects/freshness.ts';
import { type Evaluation, momentOf, prepareEvaluation } from './evaluation-store.ts';

/** Maximum number of rules held in memory, for one account and for all together. Each policy counts as some additional rules. */
const sizeMax = 2_500_000;
const evaluationsMax = 10_000;

/** Restrictions as of a moment; `evaluation` is null if they are too large to hold. */
type Held = Pick<Evaluation, 'readAt' | 'size' | 'validUntilMs'> & { readonly evaluation: Evaluation | null };

const heldOf = perDatabase(
  () => new LRUCache<string, Held>({ max: evaluationsMax, maxSize: sizeMax, sizeCalculation: ({ size }) => size }),
);

/**
 * Returns which restrictions of a type object to an address; synchronously if they are in memory and none objects. The answer
 * reflects everything this process stored for the account before the call, and everything other processes stored at least a second
 * before it. Nothing is read if neither can have changed anything.
 *
 * @param address null if unknown: all restrictions object to an unknown address
 * @throws UNAVAILABLE as `enforcedNow`: the caller must then let nobody in
 */
export function objectionsTo(
  scope: AccountView,
  type: RestrictionType,
  address: Address | null,
): MaybePromise<Objections> {
  const known = held(scope, type)?.evaluation;
  if (known != null && address !== null && known.passesAll(address)) return noObjections;
  return askAll(scope, type, address);
}

/** Like `objectionsTo`, for all restrictions that apply to a kind of traffic to Sallyport itself. */
export function objectionsToOwn(
  scope: AccountView,
  traffic: OwnTraffic,
  address: Address | null,
): MaybePromise<Objections> {
  return traffic === 'api' ? objectionsTo(scope, traffic, address) : objectionsOfSeveral(scope, traffic, address);
}

async function objectionsOfSeveral(
  scope: AccountView,
  traffic: OwnTraffic,
  address: Address | null,
): Promise<Objections> {
  const refusedBy: Nameable[] = [];
  const wouldRefuse: Nameable[] = [];
  for (const type of await typesInForce(scope, traffic)) {
    const objections = await objectionsTo(scope, type, address);
    refusedBy.push(...objections.refusedBy);
    wouldRefuse.push(...objections.wouldRefuse);
  }
  return { refusedBy, wouldRefuse };
}

/**
 * Returns the types of restrictions that currently apply to a kind of traffic to Sallyport itself.
 *
 * @throws UNAVAILABLE as `enforcedNow`
 */
export async function typesInForce(scope: AccountView, traffic: OwnTraffic): Promise<readonly OwnTraffic[]> {
  if (traffic === 'api') return typesJudging(traffic, false);
  const { restrictions } = await enforcedNow(scope, traffic);
  return typesJudging(
    traffic,
    restrictions.some(({ enforced }) => enforced),
  );
}

async function askAll(scope: AccountView, type: RestrictionType, address: Address | null): Promise<Objections> {
  const { restrictions, ask } = await enforcedNow(scope, type);
  if (restrictions.length === 0) return noObjections;
  const objecting =
    address === null
      ? restrictions
      : (await ask(address)).filter(({ passes }) => !passes).map(({ restriction }) => restriction);
  return {
    refusedBy: objecting.filter(({ enforced }) => enforced),
    wouldRefuse: objecting.filter(({ enforced }) => !enforced),
  };
}

const noObjections: Objections = { refusedBy: [], wouldRefuse: [] };

/**
 * Returns the current restrictions of a type. Those that only warn are left out if all together are too large.
 *
 * @throws UNAVAILABLE if the storage cannot tell whether anything has changed, or the enforced restrictions exceed the memory limit
 */
export async function enforcedNow(scope: AccountView, type: RestrictionType): Promise<Evaluation> {
  const { evaluation } = held(scope, type) ?? (await renew(scope, type));
  if (evaluation !== null) return evaluation;
  throw new SallyportError(
    'UNAVAILABLE',
    `The enforced IP restrictions of type ${type} have more rules than the server can hold. Nobody is let in until an operator ` +
      "suspends them: the server's log says how.",
    // Hosts and visitors without a key get the message, too.
    { cause: new Error(`Too many rules. Suspend them: ${remedies.suspendRestrictions(scope.accountId, type)}`) },
  );
}

/** Returns what is held, unless something may have changed since it was read, or a rule has ended. */
function held(scope: AccountView, type: RestrictionType): Held | undefined {
  const known = heldOf(scope).get(keyOf(scope, type));
  if (known === undefined) return undefined;
  const { changeCount, ms } = momentOf(scope);
  if (known.readAt.changeCount !== changeCount || ms - known.readAt.ms >= trustMs) return undefined;
  return scope.now().getTime() < known.validUntilMs ? known : undefined;
}

async function renew(scope: AccountView, type: RestrictionType): Promise<Held> {
  const before = momentOf(scope);
  // Restrictions that only warn must not keep anybody out: if everything is too large, read the enforced ones alone.
  const evaluation = (await readIfPossible(scope, type, false)) ?? (await readIfPossible(scope, type, true));
  // Remember "too large" as well: finding it out again would take as long.
  const { readAt, size, validUntilMs } = evaluation ?? { readAt: before, size: 1, validUntilMs: endlessMs };
  const fresh = { readAt, size, validUntilMs, evaluation };
  heldOf(scope).set(keyOf(scope, type), fresh);
  return fresh;
}

/** Reads restrictions; null if they are too large. */
async function readIfPossible(
  scope: AccountView,
  type: RestrictionType,
  enforcedOnly: boolean,
): Promise<Evaluation | null> {
  try {
    return await prepareEvaluation(scope, type, undefined, { enforcedOnly, sizeMax });
  } catch (error) {
    if (error instanceof SallyportError && error.code === 'QUERY_TOO_COMPLEX') return null;
    throw error;
  }
}

function keyOf({ accountId }: AccountView, type: RestrictionType): string {
  return `${accountId} ${type}`;
}
