// The basis of a copy: the tables in their order, and the rows as text.

import { describe, expect, test } from 'vitest';
import { getDatamodel } from '../../src/storage/generated/pothos.ts';
import { createDigester, createRowSerializer } from '../../src/storage/lifecycle/table-digest.ts';
import { type Column, orderTables, tables } from '../../src/storage/sql/tables.ts';

const { models } = getDatamodel().datamodel;
type Model = (typeof models)[string];

const field = (name: string, type = 'String', others: object = {}) =>
  ({ name, type, kind: 'scalar', isRequired: true, isList: false, isId: false, ...others }) as Model['fields'][number];
const id = field('id', 'String', { isId: true });
const relation = (name: string, type: string, relationFromFields: string[]) =>
  field(name, type, { kind: 'object', relationFromFields });
const model = (...fields: Model['fields'][number][]): Model => ({ fields, primaryKey: null, uniqueIndexes: [] });

describe('tables', () => {
  test('are those of all models, with every column, each after those that it refers to', () => {
    expect(tables.map(({ name }) => name).sort()).toEqual(Object.keys(models).sort());
    for (const { name, columns } of tables) {
      const fields = models[name]?.fields ?? [];
      expect(columns.map((column) => column.name)).toEqual(
        fields.filter(({ kind }) => kind !== 'object').map((one) => one.name),
      );
      const before = tables
        .slice(
          0,
          tables.findIndex((table) => table.name === name),
        )
        .map((table) => table.name);
      const wholes = fields.filter((one) => (one.relationFromFields ?? []).length > 0).map(({ type }) => type);
      expect(wholes.filter((whole) => whole !== name && !before.includes(whole))).toEqual([]);
    }
  });

  test('of models that come later are ordered by themselves', () => {
    const part = model(id, field('wholeId'), relation('whole', 'Whole', ['wholeId']));
    const whole = model(id, relation('parts', 'APart', []));
    expect(orderTables({ APart: part, Whole: whole }).map(({ name }) => name)).toEqual(['Whole', 'APart']);
  });

  test('that a copy was not taught are refused, not copied wrongly', () => {
    const refuse = (all: Record<string, Model>, message: string) => expect(() => orderTables(all)).toThrow(message);
    refuse(
      { A: model(id, field('size', 'Float')) },
      'A.size has the type Float: teach storage/sql/tables.ts to copy it.',
    );
    refuse({ A: model(id, field('names', 'String', { isList: true })) }, 'A.names has the type String: teach');
    refuse({ A: model(field('n', 'Int', { isId: true, hasDefaultValue: true })) }, 'A.n is numbered by the database');
    refuse({ A: model(field('name')) }, 'A has no primary key');
    const circle = {
      A: model(id, relation('b', 'B', ['bId'])),
      B: model(id, relation('a', 'A', ['aId'])),
    };
    refuse(circle, 'The models A, B refer to each other.');
  });
});

const columns: Column[] = [
  { name: 'text', type: 'String' },
  { name: 'big', type: 'BigInt' },
  { name: 'bytes', type: 'Bytes' },
  { name: 'json', type: 'Json' },
  { name: 'on', type: 'Boolean' },
  { name: 'at', type: 'DateTime' },
  { name: 'none', type: 'Json' },
];
const row = [
  'a "line"\n',
  2n ** 62n,
  new Uint8Array([0, 255]),
  { b: [1, null, { d: 1, c: -0 }], a: null, ['__proto__']: 1e21 },
  true,
  new Date('2026-11-20T21:00:00.007Z'),
  undefined,
];

describe('a row as text', () => {
  test('is canonical JSON: sorted keys, no spaces, one way to write each value', () => {
    expect(createRowSerializer({ columns })(row)).toBe(
      '{"at":"2026-11-20T21:00:00.007Z","big":"4611686018427387904","bytes":"AP8=",' +
        '"json":{"__proto__":1e+21,"a":null,"b":[1,null,{"c":0,"d":1}]},"on":true,"text":"a \\"line\\"\\n"}',
    );
  });

  test('tells the JSON null from no value', () => {
    const write = createRowSerializer({ columns: [{ name: 'json', type: 'Json' }] });
    expect([write([null]), write([undefined])]).toEqual(['{"json":null}', '{}']);
  });
});

test('the digest of a table depends on each row and on how often it is there, and not on their order', () => {
  const digestOf = (...rows: unknown[][]) => {
    const digester = createDigester({ columns: [{ name: 'name', type: 'String' }] });
    digester.add(rows);
    return digester.result();
  };
  expect(digestOf(['a'], ['b'])).toEqual({
    rows: 2,
    sha256: '2368194c32a1f1e0d259b99ce3e74720c353d696f477df9e1e2c6be5b2d6ec57',
  });
  expect(digestOf(['b'], ['a'])).toEqual(digestOf(['a'], ['b']));
  const sums = [digestOf(), digestOf(['a']), digestOf(['a'], ['a']), digestOf(['a'], ['b']), digestOf(['a'], ['c'])];
  expect(new Set(sums.map(({ sha256 }) => sha256)).size).toBe(sums.length);
});
