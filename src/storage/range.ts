// Which rows of an account to read, and in what order, along the index that they stand in.

import type { Dialect } from './engine.ts';

/** Which rows to read: the first `take` in the order, of those that have all the `equal` values. */
export interface Range {
  readonly equal: Readonly<Record<string, string>>;
  readonly lessThan: string | undefined;
  readonly greaterThan: string | undefined;
  readonly ascending: boolean;
  readonly take: number;
}

/** Writes which rows of an account to read, and in what order; the account is the first value. */
export function writeRange(dialect: Dialect, { equal, lessThan, greaterThan, ascending, take }: Range) {
  const { quote, placeholder, ordersByIndex } = dialect;
  const args: (string | number)[] = [];
  const argument = (value: string | number) => {
    args.push(value);
    return placeholder(args.length + 1);
  };
  const columns = [
    { name: quote('accountId'), value: placeholder(1) },
    ...Object.entries(equal).map(([column, value]) => ({ name: quote(column), value: argument(value) })),
  ];
  const id = quote('id');
  // The last column is held between two bounds, which no planner takes for one value: it stays part of the order.
  const last = ordersByIndex ? columns.pop() : undefined;
  const conditions = columns.map(({ name, value }) => `${name} = ${value}`);
  if (last !== undefined) conditions.push(`${last.name} >= ${last.value}`, `${last.name} <= ${last.value}`);
  const narrow = (comparison: '<' | '>', bound: string | undefined) => {
    if (bound === undefined) return;
    const value = argument(bound);
    conditions.push(
      last === undefined
        ? `${id} ${comparison} ${value}`
        : `(${last.name}, ${id}) ${comparison} (${last.value}, ${value})`,
    );
  };
  narrow('<', lessThan);
  narrow('>', greaterThan);
  const direction = ascending ? 'ASC' : 'DESC';
  const order = [last?.name, id].filter((name) => name !== undefined).map((name) => `${name} ${direction}`);
  return { condition: `${conditions.join(' AND ')} ORDER BY ${order.join(', ')} LIMIT ${argument(take)}`, args };
}
