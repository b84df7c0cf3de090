import { expect, test } from 'vitest';
import { keptWith } from '../../src/domain/kept-with.ts';

test('each place keeps one value with each object, and nothing with others', () => {
  const names = keptWith<object, string>();
  const ages = keptWith<object, number>();
  const [ada, grace] = [{}, {}];
  names.set(ada, 'Ada');
  names.set(ada, 'Ada Lovelace');
  ages.set(ada, 36);
  expect([names.get(ada), ages.get(ada)]).toEqual(['Ada Lovelace', 36]);
  expect([names.get(grace), ages.get(grace)]).toEqual([undefined, undefined]);
});

test('what is kept with an object is not in its copies, its names or its JSON', () => {
  const names = keptWith<object, string>();
  const row = { id: 1 };
  names.set(row, 'made of this very row');
  const copy = { ...row };
  expect(names.get(copy)).toBeUndefined();
  expect([row, Object.keys(row), JSON.stringify(row)]).toEqual([{ id: 1 }, ['id'], '{"id":1}']);
});

test('a frozen object takes nothing, and says so', () => {
  expect(() => keptWith<object, string>().set(Object.freeze({}), 'late')).toThrow(TypeError);
});
