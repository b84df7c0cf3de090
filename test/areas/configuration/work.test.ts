// How much work the names, the order and the steps of a document are: counted in steps, which are short.

import { GraphQLString } from 'graphql';
import { expect, test } from 'vitest';
import type { Entry } from '../../../src/areas/configuration/entries-schema.ts';
import { writeDocument } from '../../../src/areas/configuration/export-schema.ts';
import type { ConfiguredKind } from '../../../src/areas/configuration/kind-schema.ts';
import { createNaming } from '../../../src/areas/configuration/naming-schema.ts';
import type { ConfiguredState } from '../../../src/areas/configuration/state-schema.ts';
import { inOrderOfReferences, takeSteps } from '../../../src/areas/configuration/steps-schema.ts';
import type { Steps } from '../../../src/domain/concurrency/steps.ts';
import { SallyportError } from '../../../src/domain/errors.ts';

const next = {
  name: 'next',
  type: GraphQLString,
  input: { description: '', extensions: {}, defaultValue: undefined },
  isRequired: false,
  refersTo: 'TunnelGroupBackend',
  holdsIds: false,
  default: undefined,
  isSecret: false,
  unless: null,
  canChange: true,
  selection: '',
  read: () => null,
} as const;
/** How often the kind was asked for its name, which each name that is tried out has in it. */
let asked = 0;
const kind: ConfiguredKind = {
  get kind() {
    asked += 1;
    return 'TunnelGroupBackend' as const;
  },
  isSingle: false,
  collection: 'tunnelGroupBackends',
  query: 'tunnelGroupBackends',
  wholeArgument: null,
  description: '',
  whole: null,
  wholeField: null,
  deletesByWhole: false,
  updatesByWhole: false,
  fields: [next],
  modules: [],
  create: '',
  update: null,
  remove: '',
  forced: new Set(),
  shownOnce: [],
  untold: [],
  selection: '',
};
const objects = 10_000;

/** Does steps, and returns how many there were. */
function counted<T>(steps: Steps<T>): { steps: number; value: T } {
  for (let count = 0; ; count += 1) {
    const { done, value } = steps.next();
    if (done === true) return { steps: count, value };
  }
}

/** A map that counts how often it is looked into. */
class Counting<K, V> extends Map<K, V> {
  reads = 0;
  override values() {
    this.reads += 1;
    return super.values();
  }
}

const stateOf = (id: string): ConfiguredState => ({
  kind,
  id,
  version: 1,
  wholeId: null,
  values: {},
  untold: [],
  modules: new Map(),
});

test('objects of the same name are numbered and written a few looks each, one in each step', () => {
  asked = 0;
  const states = new Counting(Array.from({ length: objects }, (_, index) => [`tg_${index}`, stateOf(`tg_${index}`)]));
  const naming = counted(createNaming([kind], states, []));
  expect(naming.steps).toBeGreaterThanOrEqual(objects);
  expect(['tg_0', 'tg_1', 'tg_9999'].map((id) => naming.value.nameOf(id))).toEqual([
    'tunnel-group-backend',
    'tunnel-group-backend-2',
    'tunnel-group-backend-10000',
  ]);
  const written = counted(writeDocument([kind], states, naming.value));
  expect(written.steps).toBe(objects);
  expect(Object.keys(written.value.document.tunnelGroupBackends ?? {})).toHaveLength(objects);
  expect(states.reads).toBe(2);
  expect(asked).toBeLessThan(10 * objects);
});

test('a number that an object of another name has is left out', () => {
  const described = (id: string, description: string) => ({ ...stateOf(id), values: { description } });
  const all = [described('1', 'a-2'), described('2', 'a'), described('3', 'a'), described('4', 'a')];
  const { value } = counted(createNaming([kind], new Map(all.map((state) => [state.id, state])), []));
  expect(all.map(({ id }) => value.nameOf(id))).toEqual(['a-2', 'a', 'a-3', 'a-4']);
});

test('a chain of references as long as a document is put in order', () => {
  const entryOf = (index: number): Entry => ({
    kind,
    name: `b${index}`,
    path: `b${index}`,
    whole: null,
    values: index + 1 < objects ? { next: `b${index + 1}` } : {},
    modules: new Map(),
  });
  const subjects = Array.from({ length: objects }, (_, index) => ({
    entry: entryOf(index),
    was: undefined,
    ownedAs: undefined,
  }));
  const { steps, value } = counted(inOrderOfReferences(subjects));
  expect(steps).toBe(objects);
  expect(value).toEqual([...subjects].reverse());
});

test('steps that each make room for the one before are taken twice at most', async () => {
  const free = new Set([1_000]);
  let taken = 0;
  const steps = Array.from({ length: 1_000 }, (_, index) => async () => {
    taken += 1;
    if (!free.has(index + 1)) throw new SallyportError('DUPLICATE', 'is taken.');
    free.add(index);
  });
  await takeSteps(steps);
  expect(taken).toBeLessThan(2_000);
});

test('what nothing can help is not tried again', async () => {
  let taken = 0;
  const work = async () => {
    taken += 1;
    throw new SallyportError('UNKNOWN_REFERENCE', 'There is none.', { missing: { what: 'route', id: 'r' } });
  };
  await expect(takeSteps([work, work])).rejects.toMatchObject({ code: 'UNKNOWN_REFERENCE' });
  expect(taken).toBe(1);
});
