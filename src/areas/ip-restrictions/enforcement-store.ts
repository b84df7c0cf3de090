// Which IP restrictions object to an address, told from memory: for whatever lets traffic in and asks at every request.

import { LRUCache } from 'lru-cache';
import type { Address } from '../../domain/cidr.ts';
import { SallyportError } from '../../domain/errors.ts';
import { type AccountScope, perDatabase } from '../../storage/account-scope.ts';
import { type Evaluation, type Extent, type Moment, momentOf, prepareEvaluation } from './evaluation-store.ts';
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

/** Restrictions as they were at a moment, ready to be asked. */
type Held = Pick<Evaluation, 'readAt' | 'size' | 'restrictionCount' | 'ask'>;

const heldOf = perDatabase(
  () => new LRUCache<string, Held>({ max: evaluationsMax, maxSize: sizeMax, sizeCalculation: ({ size }) => size }),
);

/**
 * Tells which restrictions of a type object to an address. It counts what this process has stored for the account before the
 * question, and what another process has stored a second before it or earlier. Nothing is read where neither can have changed
 * anything.
 *
 * @throws UNAVAILABLE where the storage cannot tell whether something has changed, or more is enforced than can be held in memory:
 *   whoever asks must then let nobody in
 */
export async function objectionsTo(scope: AccountScope, type: RestrictionType, address: Address): Promise<Objections> {
  const { restrictionCount, ask } = held(scope, type) ?? (await renew(scope, type));
  if (restrictionCount === 0) return noObjections;
  const objecting = (await ask(address)).filter(({ passes }) => !passes).map(({ restriction }) => restriction);
  return {
    refusedBy: objecting.filter(({ enforced }) => enforced).map(({ id }) => id),
    wouldRefuse: objecting.filter(({ enforced }) => !enforced).map(({ id }) => id),
  };
}

const noObjections: Objections = { refusedBy: [], wouldRefuse: [] };

/** Gives what is held if nothing can have changed since. */
function held(scope: AccountScope, type: RestrictionType): Held | undefined {
  const known = heldOf(scope).get(keyOf(scope, type));
  if (known === undefined || known.readAt.changeCount !== scope.changeCount()) return undefined;
  return performance.now() - known.readAt.ms < trustMs ? known : undefined;
}

async function renew(scope: AccountScope, type: RestrictionType): Promise<Held> {
  const fresh = await read(scope, type);
  heldOf(scope).set(keyOf(scope, type), fresh);
  return fresh;
}

async function read(scope: AccountScope, type: RestrictionType): Promise<Held> {
  const readAt = momentOf(scope);
  const prepare = (extent: Partial<Extent>) =>
    prepareEvaluation(scope, type, undefined, { enforcedOnly: false, sizeMax, ...extent });
  try {
    return await prepare({});
  } catch (error) {
    if (!isTooMany(error)) throw error;
  }
  try {
    // What only warns must not keep anybody out.
    return await prepare({ enforcedOnly: true });
  } catch (error) {
    if (!isTooMany(error)) throw error;
    return tooMany(readAt, type);
  }
}

function isTooMany(error: unknown): boolean {
  return error instanceof SallyportError && error.code === 'QUERY_TOO_COMPLEX';
}

/** Answers every question with the same error, without reading everything again to find that it is too much. */
function tooMany(readAt: Moment, type: RestrictionType): Held {
  return {
    readAt,
    size: 1,
    restrictionCount: 1,
    async ask() {
      throw new SallyportError(
        'UNAVAILABLE',
        `The enforced IP restrictions of type ${type} have more rules than the server can hold. Nobody is let in until some are ` +
          'deleted, or suspended on the command line.',
        { cause: new Error(`IP restrictions of type ${type} have too many rules to be enforced.`) },
      );
    },
  };
}

function keyOf({ accountId }: AccountScope, type: RestrictionType): string {
  return `${accountId} ${type}`;
}
