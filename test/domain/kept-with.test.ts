import { expect, test } from 'vitest';
import { keptOnce, keptWith } from '../../src/domain/concurrency/kept-with.ts';

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

test('what is made once is made for each object anew, whatever it is, and again where that failed', () => {
  const made: string[] = [];
  const lengthOf = keptOnce(({ name }: { name: string }) => {
    made.push(name);
    if (made.length === 1) throw new Error('not yet');
    return name === '' ? undefined : name.length;
  });
  const [ada, nobody] = [{ name: 'Ada' }, { name: '' }];
  expect(() => lengthOf(ada)).toThrow('not yet');
  expect([lengthOf(ada), lengthOf(ada), lengthOf(nobody), lengthOf(nobody), lengthOf({ ...ada })]).toEqual([
    3,
    3,
    undefined,
    undefined,
    3,
  ]);
  expect(made).toEqual(['Ada', 'Ada', '', 'Ada']);
});

test('a frozen object takes nothing, and says so', () => {
  expect(() => keptWith<object, string>().set(Object.freeze({}), 'late')).toThrow(TypeError);
});
