// The results of a torture run: figures, and the promises that were broken.

/** The figures of a run: counts, times, sizes. */
export type Figures = Record<string, number | string>;

/** The report of one run. */
export interface Report {
  readonly run: string;
  /** The settings of the run, so that it can be repeated. */
  readonly parameters: Figures;
  readonly figures: Figures;
  /** One sentence for each broken promise; empty if all were kept. */
  readonly broken: readonly string[];
}

/** Most sentences of one kind in a report: a thousand equal failures say no more than a few. */
const sentencesMax = 5;

/** Collects broken promises: a few of each kind are described, the others counted. */
export class Broken {
  readonly #kinds = new Map<string, { said: string[]; count: number }>();

  /** Notes a broken promise: `kind` says which one, `detail` what happened. */
  add(kind: string, detail: string): void {
    const entry = this.#kinds.get(kind) ?? { said: [], count: 0 };
    this.#kinds.set(kind, entry);
    entry.count += 1;
    if (entry.said.length < sentencesMax) entry.said.push(detail);
  }

  /** Notes a broken promise unless `holds` is true. */
  unless(holds: boolean, kind: string, detail: string): void {
    if (!holds) this.add(kind, detail);
  }

  /** Returns everything noted, as sentences. */
  sentences(): string[] {
    return [...this.#kinds].flatMap(([kind, { said, count }]) => [
      ...said.map((detail) => `${kind}: ${detail}`),
      ...(count > said.length ? [`${kind}: ${count - said.length} more of this kind`] : []),
    ]);
  }
}

/** Returns a quantile of values; 0 if there are none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Rounds a figure to one decimal. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Formats a report for people. */
export function describeReport({ run, parameters, figures, broken }: Report): string {
  const lines = (values: Figures) => Object.entries(values).map(([name, value]) => `    ${name}: ${value}`);
  return [
    `${broken.length === 0 ? 'held  ' : 'BROKEN'}  ${run}`,
    '  asked for',
    ...lines(parameters),
    '  measured',
    ...lines(figures),
    ...(broken.length === 0 ? [] : ['  broken', ...broken.map((sentence) => `    ${sentence}`)]),
  ].join('\n');
}
