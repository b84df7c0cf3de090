// Shared by several pages about edges: their URLs, and the order in which their routes match.

/** Returns the URL of a path at an edge; undefined if the edge has no host. A wildcard label becomes `www`. */
export function urlAt(hostports: readonly string[], path: string): string | undefined {
  const [first] = hostports;
  if (first === undefined) return undefined;
  return `https://${first.replace(/^\*\./, 'www.').replace(/:443$/, '')}${path}`;
}

/** The match types, in words. */
export const matchTypes = {
  path_prefix: { title: 'Begins with', hint: 'The path, and every path that begins with it.' },
  exact_path: { title: 'Is exactly', hint: 'This path alone.' },
} as const;
export type MatchType = keyof typeof matchTypes;

/** Sorts routes in the gate's order: exact paths first, then the longest prefix (docs/gate.md, "What is decided"). */
export function inOrderOfDecision<R extends { readonly match: string; readonly matchType: MatchType }>(
  routes: readonly R[],
): R[] {
  const rank = ({ matchType }: R) => (matchType === 'exact_path' ? 0 : 1);
  return [...routes].sort(
    (one, other) =>
      rank(one) - rank(other) ||
      (one.matchType === 'path_prefix' ? other.match.length - one.match.length : 0) ||
      (one.match < other.match ? -1 : 1),
  );
}

/** Returns a warning if a prefix covers more than people usually mean; otherwise null. */
export function surpriseOf(match: string, matchType: MatchType): string | null {
  if (matchType !== 'path_prefix' || !match.startsWith('/') || match.endsWith('/')) return null;
  return `This also covers ${match}s and whatever else begins with these letters. Write ${match}/ to mean the folder alone.`;
}
