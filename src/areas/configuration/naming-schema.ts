// The names that an export gives objects: those that documents have for them, and others made of what they are.

import type { Steps } from '../../domain/concurrency/steps.ts';
import { isJsonObject } from '../../domain/values/json.ts';
import { groupBy } from '../../domain/values/maps.ts';
import type { ConfiguredKind } from './kind-schema.ts';
import type { ConfiguredName } from './names-store.ts';
import { nameFrom } from './rules.ts';
import type { ConfiguredState } from './state-schema.ts';

/** The names of the objects of an account. */
export interface Naming {
  /** Returns the name of an object; that of a part begins with the name of its whole and a slash. */
  nameOf(id: string): string | undefined;
  /** Returns the object that no document has a name for and that has this name. */
  unowned(kind: string, name: string): string | undefined;
}

/**
 * Names the objects of an account, one in each step. The names depend only on the objects, oldest first, and on the names that documents have for them.
 *
 * @param kinds wholes before their parts
 */
export function* createNaming(
  kinds: readonly ConfiguredKind[],
  states: ReadonlyMap<string, ConfiguredState>,
  names: readonly ConfiguredName[],
): Steps<Naming> {
  const given = new Map(names.map(({ objectId, name }) => [objectId, name]));
  const known = new Map<string, string>();
  const byName = new Map<string, string>();
  /** By kind and name without a number, the number that the next object of that name tries first: all before are taken. */
  const nextNumbers = new Map<string, number>();
  const statesOf = groupBy(states.values(), ({ kind }) => kind);
  for (const kind of kinds) {
    const own = statesOf.get(kind) ?? [];
    const claim = (state: ConfiguredState, last: string) => {
      const whole = state.wholeId === null ? undefined : known.get(state.wholeId);
      const prefix = whole === undefined ? '' : `${whole}/`;
      const numbered = `${kind.kind} ${prefix}${last}`;
      for (let number = nextNumbers.get(numbered) ?? 1; ; number += 1) {
        const name = `${prefix}${last}${number === 1 ? '' : `-${number}`}`;
        const key = `${kind.kind} ${name}`;
        if (byName.has(key)) continue;
        nextNumbers.set(numbered, number + 1);
        byName.set(key, state.id);
        known.set(state.id, name);
        return;
      }
    };
    // First those that documents have names for, so that no other takes theirs.
    for (const state of own) {
      const name = given.get(state.id)?.split('/').at(-1);
      if (name !== undefined) claim(state, name);
      yield;
    }
    for (const state of own) {
      if (!given.has(state.id)) claim(state, nameFor(state));
      yield;
    }
  }
  return {
    nameOf: (id) => known.get(id),
    unowned(kind, name) {
      const id = byName.get(`${kind} ${name}`);
      return id === undefined || given.has(id) ? undefined : id;
    },
  };
}

/** Makes a name of what an object is: its description, or else its name, or the first of its values that has something to say. */
function nameFor({ kind, values }: ConfiguredState): string {
  const fields = [
    { name: 'description' },
    { name: 'name' },
    ...kind.fields.filter(({ refersTo }) => refersTo === null),
  ];
  for (const { name } of fields) {
    if (name === 'metadata') continue;
    const value = values[name];
    const text = Array.isArray(value) ? value[0] : value;
    const made = typeof text === 'string' && !isJsonObject(value) ? nameFrom(text) : '';
    if (made !== '') return made;
  }
  return nameFrom(kind.kind.split(/(?=[A-Z])/).join('-'));
}
