// Turns the figures of the rounds into what is reported: medians, their spread, and whether a goal is missed. Pure.

/** The middle of some figures, and the quartiles around it: half of all figures lie between them. */
export interface Spread {
  readonly lower: number;
  readonly median: number;
  readonly upper: number;
}

/** A minimum or maximum for a figure. */
export type Goal = { readonly atLeast: number } | { readonly atMost: number };

/** A measured figure, with its goal if it has one. */
export interface Finding {
  readonly what: string;
  readonly spread: Spread;
  readonly goal: Goal | null;
}

/** Summarizes the figures of the rounds. */
export function spreadOf(figures: readonly number[]): Spread {
  return { lower: quantile(figures, 0.25), median: quantile(figures, 0.5), upper: quantile(figures, 0.75) };
}

/** Returns the figure below which a share of all figures lies, interpolated if it falls between two of them. */
export function quantile(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

/** Returns the ratios of figures that were measured in the same rounds. */
export function ratios(figures: readonly number[], others: readonly number[]): number[] {
  return figures.map((figure, round) => figure / (others[round] ?? Number.NaN));
}

/** Returns whether a goal is missed by more than noise: even the better quartile does not reach it. */
export function misses({ spread, goal }: Finding): boolean {
  if (goal === null) return false;
  return 'atLeast' in goal ? !(spread.upper >= goal.atLeast) : !(spread.lower <= goal.atMost);
}
