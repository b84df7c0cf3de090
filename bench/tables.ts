// Figures as tables in Markdown.

import { type Finding, type Goal, misses, type Spread } from './figures.ts';

/** Writes a table. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Writes figures in a table of their own. */
export function findingsSection(title: string, words: string, findings: readonly Finding[]): string {
  const rows = findings.map((finding) => [finding.what, showFinding(finding)]);
  return `## ${title}\n\n${words}\n\n${table(['What', 'Median (quartiles)'], rows)}`;
}

/** Writes a figure with its quartiles and its goal, if it has one. */
export function showFinding(finding: Finding): string {
  const { spread, goal } = finding;
  if (goal === null) return showSpread(spread);
  return `${showSpread(spread)}, goal ${showGoal(goal)}${misses(finding) ? ', **missed**' : ''}`;
}

/** Writes a goal. */
export function showGoal(goal: Goal): string {
  return 'atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`;
}

/** Writes the middle of figures. */
export function showMedian({ median }: Spread): string {
  return median.toFixed(decimalsOf(median));
}

function showSpread({ lower, median, upper }: Spread): string {
  const show = (figure: number) => figure.toFixed(decimalsOf(median));
  return `**${show(median)}** (${show(lower)} – ${show(upper)})`;
}

/** Ratios and seconds need two decimals; rates and MiB none. */
function decimalsOf(median: number): number {
  return median < 100 ? 2 : 0;
}
