// Changes that wait for a second person, where their account asks for that. Which these are is declared with their kinds
// (`secondPerson` in `area.ts`). Every change by a mutation passes here, whatever leads to it: single mutations, deletions of several
// objects, restorations, documents of the configuration.

import type { KindDeclaration } from '../../areas/outlook.ts';
import type { KeyScope } from '../../domain/access/key-scopes.ts';
import { kinds } from '../../domain/values/ids.ts';
import { isMissingRow } from '../errors.ts';
import type { TouchedObject } from '../trail/trail.ts';
import type { AccountScope } from './account-scope.ts';
import { writer, writerOf } from './changes.ts';
import type { ObjectChanges, ObjectWrite } from './object-changes.ts';

export interface Approval {
  /** What the trail calls that person. */
  readonly approver: string;
  /** The write that uses the approval up. It fails with an error that `isMissingRow` recognizes if it cannot be used any more. */
  readonly use: ObjectWrite;
  /** Returns the error for a change that failed because a row was missing, which may be that of the approval. */
  readonly whyFailed: (error: unknown) => Promise<unknown>;
}

/** A call of a mutation that waits. */
export interface AskedCall {
  readonly mutation: string;
  readonly input: unknown;
  /** The scopes that its changes need, and whoever approves it. */
  readonly scopes: readonly KeyScope[];
  /** Objects that it changes. */
  readonly touched: readonly TouchedObject[];
  /** What it overrides by force, as a sentence; null if nothing. */
  readonly overrides: string | null;
}

/** Asks a second person about the calls of a caller. */
export interface SecondPerson {
  isRequired(): Promise<boolean>;
  /** As `AskSecondPerson`. */
  ask(call: AskedCall): Promise<Approval | null>;
}

/**
 * Asks for the approval of a change that touches some objects. Returns null if the account asks for none.
 *
 * @param does what the change does, where its input alone does not say it
 * @throws APPROVAL_REQUIRED if nobody has approved it yet, FORBIDDEN for a caller that cannot ask
 */
export type AskSecondPerson = (touched: readonly TouchedObject[], does?: object) => Promise<Approval | null>;

const declared: Readonly<Record<string, KindDeclaration>> = kinds;

function waits({ model, action }: TouchedObject): boolean {
  return declared[model]?.secondPerson?.includes(action) === true;
}

/**
 * Returns a scope for one mutation, whose changes that wait for a second person fail until they are approved. All of them count as one.
 *
 * @param always whether all changes wait
 */
export function withSecondPerson(scope: AccountScope, ask: AskSecondPerson, always = false): AccountScope {
  const own = writerOf(scope);
  let asked: Approval | null | undefined;
  let isUsed = false;
  let does: object | undefined;
  const announce = async (touched: readonly TouchedObject[]) => {
    if (asked === undefined) asked = await ask(touched, does);
  };
  const awaiting = ({ apply }: ObjectChanges): ObjectChanges => ({
    async apply(change) {
      const { write, before = [], removals = [], after = [] } = change;
      const touched = [write, ...before, ...removals, ...after].flatMap((each) => each.touched);
      const waiting = touched.filter(waits);
      if (always || waiting.length > 0) await announce(waiting.length > 0 ? waiting : touched);
      if (asked == null) return apply(change);
      const approval = asked;
      // The parts of a change come before it, in batches of their own: the last one uses the approval up.
      const uses = isUsed || change.isPart === true ? [] : [approval.use];
      try {
        const result = await apply({ ...change, before: [...uses, ...before], approver: approval.approver });
        isUsed ||= uses.length > 0;
        return result;
      } catch (error) {
        throw uses.length > 0 && isMissingRow(error) ? await approval.whyFailed(error) : error;
      }
    },
  });
  const say = (what: object) => {
    does = what;
    // It may be tried again, and do something else then.
    asked = undefined;
  };
  return { ...scope, [writer]: { ...own, ...awaiting(own), forced: awaiting(own.forced), announce, say } };
}

/**
 * Says what a change is going to do that follows not from its input alone, before it is stored: its approval covers exactly that, and
 * whoever approves it sees it.
 */
export function sayWhatItDoes(scope: AccountScope, does: object): void {
  writerOf(scope).say(does);
}

/**
 * Announces a change before its first part is stored, or one of which only the value says that it waits.
 *
 * @throws as `AskSecondPerson`
 */
export async function awaitSecondPerson(scope: AccountScope, touched: TouchedObject): Promise<void> {
  await writerOf(scope).announce([touched]);
}
