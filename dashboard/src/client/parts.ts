// A list that is read page by page, held as the parts that its pages were: after a change, those that somebody looks at are read
// again, each for itself, and the others when somebody looks at them.

/** A row of a list. */
interface Row {
  readonly id: string;
}

/** Rows of a list that follow each other. A part follows the one before: it begins after its `end`. */
export interface Part<N> {
  readonly nodes: readonly N[];
  /** The cursor after its last row. */
  readonly end: string | null;
  /** How many changes were known when it was asked for. */
  readonly asOf: number;
  /** Whether the part before may no longer reach it: there can be unread rows in between. */
  readonly isApart: boolean;
}

/** A page as it was answered. */
export interface ReadPage<N> extends Pick<Part<N>, 'nodes' | 'end' | 'asOf'> {
  readonly hasNext: boolean;
}

/** The rows that somebody looks at: the places of the first and of the last. */
export interface View {
  readonly first: number;
  readonly last: number;
}

/** Old parts that follow each other become one up to this many rows, so that many changes leave no crumbs. */
const joinedMax = 50;

/**
 * Puts a page in the place of a part, or after the last one. A row that the page has is nowhere else in the list any more. What the
 * part had, and the page has not, is gone if it stood before a row of the page; if after all of them, it only moved down.
 */
export function withPage<N extends Row>(
  parts: readonly Part<N>[],
  at: number,
  { nodes, end, asOf, hasNext }: ReadPage<N>,
): Part<N>[] {
  const ids = new Set(nodes.map(({ id }) => id));
  const without = (part: Part<N>, from = 0) => ({
    ...part,
    nodes: part.nodes.slice(from).filter(({ id }) => !ids.has(id)),
  });
  const page = { nodes, end, asOf, isApart: false };
  const before = [...parts.slice(0, at).map((part) => without(part)), page];
  if (!hasNext) return tidied(before, asOf);
  const following = parts.slice(at);
  // The page can reach no further than this, so a row that it has from beyond has moved, and says nothing of those in between.
  const reach = (following[0]?.nodes.length ?? 0) + nodes.length;
  const places = new Map<string, number>();
  for (const { id } of following.flatMap((part) => part.nodes).slice(0, reach)) places.set(id, places.size);
  const last = nodes.findLast(({ id }) => places.has(id));
  let passed = last === undefined ? 0 : (places.get(last.id) ?? 0) + 1;
  const after = following.map((part) => {
    const from = Math.min(passed, part.nodes.length);
    passed -= from;
    return without(part, from);
  });
  const [next, ...others] = after.filter((part) => part.nodes.length > 0);
  if (next === undefined) return tidied(before, asOf);
  return tidied([...before, { ...next, isApart: last === undefined }, ...others], asOf);
}

/** Leaves out parts without rows, but for the one that was just read, and joins small old neighbours. */
function tidied<N>(parts: readonly Part<N>[], asOf: number): Part<N>[] {
  const joined: Part<N>[] = [];
  for (const part of parts) {
    const before = joined.at(-1);
    if (part.nodes.length === 0 && part.asOf !== asOf) continue;
    const isOne =
      before !== undefined &&
      !part.isApart &&
      before.asOf < asOf &&
      part.asOf < asOf &&
      before.nodes.length + part.nodes.length <= joinedMax;
    if (isOne) joined[joined.length - 1] = { ...before, nodes: [...before.nodes, ...part.nodes], end: part.end };
    else joined.push(part);
  }
  return joined;
}

/** Leaves out the last parts, as long as enough rows are left: a list that others add to does not grow by it. */
export function trimmed<N>(parts: readonly Part<N>[], rows: number): readonly Part<N>[] {
  let kept = parts.length;
  let total = parts.reduce((sum, { nodes }) => sum + nodes.length, 0);
  for (; kept > 1; kept -= 1) {
    const last = parts[kept - 1]?.nodes.length ?? 0;
    if (total - last < rows) break;
    total -= last;
  }
  return kept === parts.length ? parts : parts.slice(0, kept);
}

/**
 * Returns which part is to be read again after some changes: of those in view, and of those that a page which was just read no longer
 * reaches, the one that was read longest ago. Undefined if none is.
 */
export function nextToRead<N>(parts: readonly Part<N>[], changes: number, view: View): number | undefined {
  let place = 0;
  let found: number | undefined;
  for (const [at, { nodes, asOf, isApart }] of parts.entries()) {
    // Where there are no rows, there may be some now.
    const isInView = place <= view.last && place + Math.max(nodes.length, 1) > view.first;
    const isNext = isApart && parts[at - 1]?.asOf === changes;
    place += nodes.length;
    if (asOf < changes && (isInView || isNext) && asOf < (parts[found ?? -1]?.asOf ?? changes)) found = at;
  }
  return found;
}
