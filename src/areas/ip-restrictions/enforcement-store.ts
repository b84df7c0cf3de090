// Which IP restrictions object to an address, told from memory: for whatever lets traffic in and asks at every request.

import { LRUCache } from 'lru-cache';
import type { Soon } from '../../domain/at-once.ts';
import type { Address } from '../../domain/cidr.ts';
import { SallyportError } from '../../domain/errors.ts';
import { type OwnTraffic, typesJudging } from '../../domain/own-traffic.ts';
import { type AccountView, perDatabase } from '../../storage/account-scope.ts';
import { type Evaluation, momentOf, prepareEvaluation } from './evaluation-store.ts';
import type { RestrictionType } from './rules.ts';

/** The restrictions that object to an address, by their ids, oldest first. */
export interface Objections {
  /** The enforced ones: where there is one, the address is refused. */
  readonly refusedBy: readonly string[];
  /** Those that are not enforced: where there is one, the address is let in with a warning. */
  readonly wouldRefuse: readonly string[];
}

/** Milliseconds for which restrictions are taken for unchanged: what another process changes counts within a second. */
const trustMs = 900;
/** Most rules that are held in memory, those of one account and of all together; a policy counts as some more. */
const sizeMax = 2_500_000;
const evaluationsMax = 10_000;

/** Restrictions as they were at a moment; null where they are too many. */
type Held = Pick<Evaluation, 'readAt' | 'size'> & { readonly evaluation: Evaluation | null };

const heldOf = perDatabase(
  () => new LRUCache<string, Held>({ max: evaluationsMax, maxSize: sizeMax, sizeCalculation: ({ size }) => size }),
);

/**
 * Tells which restrictions of a type object to an address: at once where that is in memory and none does. It counts what this
 * process has stored for the account before the question, and what another process has stored a second before it or earlier.
 * Nothing is read where neither can have changed anything.
 *
 * @param address null where it is not known: all restrictions object to that
 * @throws UNAVAILABLE as `enforcedNow`: whoever asks must then let nobody in
 */
export function objectionsTo(scope: AccountView, type: RestrictionType, address: Address | null): Soon<Objections> {
  const known = held(scope, type)?.evaluation;
  if (known != null && address !== null && known.passesAll(address)) return noObjections;
  return askAll(scope, type, address);
}

/** As `objectionsTo`, of all restrictions that judge a kind of traffic to Sallyport itself. */
export function objectionsToOwn(scope: AccountView, traffic: OwnTraffic, address: Address | null): Soon<Objections> {
  return traffic === 'api' ? objectionsTo(scope, traffic, address) : objectionsToSession(scope, address);
}

async function objectionsToSession(scope: AccountView, address: Address | null): Promise<Objections> {
  const refusedBy: string[] = [];
  const wouldRefuse: string[] = [];
  for (const type of await typesInForce(scope, 'dashboard')) {
    const objections = await objectionsTo(scope, type, address);
    refusedBy.push(...objections.refusedBy);
    wouldRefuse.push(...objections.wouldRefuse);
  }
  return { refusedBy, wouldRefuse };
}

/**
 * Names the types of the restrictions that judge a kind of traffic to Sallyport itself, as they are now.
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
    refusedBy: objecting.filter(({ enforced }) => enforced).map(({ id }) => id),
    wouldRefuse: objecting.filter(({ enforced }) => !enforced).map(({ id }) => id),
  };
}

const noObjections: Objections = { refusedBy: [], wouldRefuse: [] };

/**
 * Gives the restrictions of a type as they are, with those that only warn unless all of them are too many.
 *
 * @throws UNAVAILABLE where the storage cannot tell whether something has changed, or more is enforced than can be held in memory
 */
export async function enforcedNow(scope: AccountView, type: RestrictionType): Promise<Evaluation> {
  const { evaluation } = held(scope, type) ?? (await renew(scope, type));
  if (evaluation !== null) return evaluation;
  throw new SallyportError(
    'UNAVAILABLE',
    `The enforced IP restrictions of type ${type} have more rules than the server can hold. Nobody is let in until an operator ` +
      'suspends them: sallyport restrictions suspend.',
    { cause: new Error(`The IP restrictions of type ${type} have too many rules to be enforced.`) },
  );
}

/** Gives what is held if nothing can have changed since. */
function held(scope: AccountView, type: RestrictionType): Held | undefined {
  const known = heldOf(scope).get(keyOf(scope, type));
  if (known === undefined) return undefined;
  const { changeCount, ms } = momentOf(scope);
  return known.readAt.changeCount === changeCount && ms - known.readAt.ms < trustMs ? known : undefined;
}

async function renew(scope: AccountView, type: RestrictionType): Promise<Held> {
  const before = momentOf(scope);
  // What only warns must not keep anybody out.
  const evaluation = (await readIfPossible(scope, type, false)) ?? (await readIfPossible(scope, type, true));
  // That it was too much is held as well: to find it once more would take as long.
  const { readAt, size } = evaluation ?? { readAt: before, size: 1 };
  const fresh = { readAt, size, evaluation };
  heldOf(scope).set(keyOf(scope, type), fresh);
  return fresh;
}

/** Reads restrictions; null where they are too many. */
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
