import { expect, test } from 'vitest';
import { getOrInsertComputed } from '../../src/domain/values/maps.ts';

test('a value is computed once for each key, and again where that failed', () => {
  const lengths = new Map<string, number>();
  const computed: string[] = [];
  const lengthOf = (text: string) =>
    getOrInsertComputed(lengths, text, (key) => {
      computed.push(key);
      if (computed.length === 1) throw new Error('not yet');
      return key.length;
    });
  expect(() => lengthOf('one')).toThrow('not yet');
  expect([lengthOf('one'), lengthOf('one'), lengthOf('three')]).toEqual([3, 3, 5]);
  expect(computed).toEqual(['one', 'one', 'three']);
  expect([...lengths]).toEqual([
    ['one', 3],
    ['three', 5],
  ]);
});
