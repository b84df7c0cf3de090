// The parts of lists in the dashboard: what is on screen is true again after a few requests, whatever others change meanwhile.

import { expect, test } from 'vitest';
import { nextToRead, type Part, trimmed, type View, withPage } from '../../dashboard/src/client/parts.ts';

interface Row {
  readonly id: string;
  /** Rows are in the order of their places, the highest first. */
  readonly place: number;
}

/** Returns numbers below others that look random, the same in every run. */
function makePick() {
  let state = 20_261_123;
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

/** A list on a server, which others change, and what a page of the dashboard holds of it. */
function makeList(pick: (below: number) => number) {
  let next = 0;
  let rows: Row[] = [];
  let parts: readonly Part<Row>[] = [];
  let changes = 0;
  let wanted = 0;
  const sort = () => rows.sort((one, other) => other.place - one.place);
  const add = () => {
    next += 1;
    rows.unshift({ id: `row ${next}`, place: next });
  };
  const read = (at: number, most: number) => {
    const after = Number(parts[at - 1]?.end ?? Number.POSITIVE_INFINITY);
    const found = rows.filter(({ place }) => place < after);
    const nodes = found.slice(0, most);
    const end = String(nodes.at(-1)?.place ?? after);
    const isNew = at === parts.length;
    parts = withPage(parts, at, { nodes, end, asOf: changes, hasNext: found.length > most });
    if (isNew) wanted = parts.reduce((sum, part) => sum + part.nodes.length, 0);
    parts = trimmed(parts, wanted);
  };
  return {
    add,
    read,
    loaded: () => parts.flatMap(({ nodes }) => nodes),
    all: () => rows,
    parts: () => parts,
    /** Somebody adds, deletes or moves rows. */
    change() {
      changes += 1;
      for (let times = 1 + pick(4); times > 0; times -= 1) {
        const [kind, at] = [pick(3), pick(rows.length)];
        const row = rows[at];
        if (kind === 0 || row === undefined) add();
        else if (kind === 1) rows.splice(at, 1);
        else {
          next += 1;
          rows = rows.map((each) => (each === row ? { id: row.id, place: next } : each));
          sort();
        }
      }
    },
    /** Reads again what is on screen; returns in how many requests. */
    settle(view: View): number {
      for (let requests = 0; ; ) {
        const at = nextToRead(parts, changes, view);
        if (at === undefined) return requests;
        if (requests >= 4 && parts[at]?.isApart) parts = parts.slice(0, at);
        else {
          read(at, 50);
          requests += 1;
        }
      }
    },
  };
}

test('rows on screen are those of the server after at most four requests, with 10,000 loaded, and no row is there twice', () => {
  const pick = makePick();
  const list = makeList(pick);
  for (let made = 0; made < 10_000; made += 1) list.add();
  list.read(0, 50);
  while (list.loaded().length < 10_000) list.read(list.parts().length, 100);
  let most = 0;
  for (let round = 0; round < 400; round += 1) {
    list.change();
    const first = pick(3) === 0 ? 0 : pick(list.loaded().length - 60);
    const view = { first, last: first + 60 };
    most = Math.max(most, list.settle(view));
    const shown = list.loaded().slice(view.first, view.last + 1);
    const from = list.all().findIndex(({ id }) => id === shown[0]?.id);
    expect(shown).toEqual(list.all().slice(from, from + shown.length));
    if (first === 0) expect(from).toBe(0);
    expect(new Set(list.loaded().map(({ id }) => id)).size).toBe(list.loaded().length);
  }
  expect(most).toBeLessThanOrEqual(4);
  expect(list.loaded().length).toBeGreaterThan(9_000);
});

test('a list without rows is read again as others are', () => {
  const list = makeList(() => 0);
  list.read(0, 50);
  list.change();
  expect(list.settle({ first: 0, last: 199 })).toBe(1);
  expect(list.loaded()).toEqual(list.all());
  expect(list.all()).toHaveLength(1);
});

test('a list that others add to does not grow, and one with more new rows than a few pages goes on after those', () => {
  const list = makeList(() => 0);
  for (let made = 0; made < 1_000; made += 1) list.add();
  list.read(0, 50);
  for (let round = 0; round < 60; round += 1) {
    list.change();
    list.settle({ first: 0, last: 199 });
    expect(list.loaded()).toEqual(list.all().slice(0, 50));
  }
  while (list.loaded().length < 1_000) list.read(list.parts().length, 100);
  list.change();
  for (let made = 0; made < 900; made += 1) list.add();
  expect(list.settle({ first: 0, last: 60 })).toBe(4);
  expect(list.loaded()).toEqual(list.all().slice(0, 200));
});
