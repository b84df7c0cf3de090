// What a plan needs besides the draft: what of an object has begun, and looks at entries and states.

import type { Steps } from '../../domain/concurrency/steps.ts';
import { changedFields, type PlannedField, secretsIn } from './comparing-schema.ts';
import type { Entry } from './entries-schema.ts';
import type { ConfiguredModule } from './kind-schema.ts';
import type { ConfiguredState } from './state-schema.ts';
import type { Subject } from './steps-schema.ts';

export type Answer = Readonly<Record<string, unknown>>;

/** A new object that is in the draft, but something may have been in the way of a part of it: the rest is done when it is gone. */
export interface Begun {
  readonly id: string;
  readonly fields: PlannedField[];
  /** The modules and lists that are set. */
  readonly modules: Set<ConfiguredModule>;
}

/** Returns what meets a condition, looking at one in each step. */
export function* filtered<T>(all: readonly T[], condition: (one: T) => boolean): Steps<T[]> {
  const found: T[] = [];
  for (const one of all) {
    if (condition(one)) found.push(one);
    yield;
  }
  return found;
}

export function answerIn(value: unknown): Answer {
  if (typeof value !== 'object' || value === null) throw new Error('A mutation returned nothing.');
  return { ...value };
}

/** Returns what an entry says that cannot be read back, as text. */
export function secretsOf({ kind, values, modules }: Entry): string | null {
  const ofModules = [...modules].flatMap(([{ name, fields }, listed]) =>
    listed.map((one) => ({ name, fields, values: one })),
  );
  return secretsIn([{ name: '', fields: kind.fields, values }, ...ofModules]);
}

/** Returns whether an object is as it was, besides its version. */
export function isEqual(now: ConfiguredState, was: ConfiguredState): boolean {
  const textOf = ({ values, modules }: ConfiguredState) => JSON.stringify([values, [...modules.values()]]);
  return textOf(now) === textOf(was);
}

/** Returns whether an object has to give way to another one: something differs that cannot be changed. */
export function isReplaced({ entry: { kind, values }, was }: Subject): boolean {
  if (was === undefined) return false;
  return changedFields(kind.fields, values, was.values).some(({ of }) => !of.canChange && of.refersTo === null);
}
