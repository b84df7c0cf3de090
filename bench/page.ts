// Writes the pages of docs/performance: the measured figures stand between the marks of a page. What people write around the marks
// stays. docs/performance.md has a row for each page, with the goals that its last run has missed.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, misses } from './figures.ts';
import { root } from './servers.ts';
import { showGoal, showMedian } from './tables.ts';

/** What is measured by one command each, with that command and the page that it writes. */
export const sections = {
  SQLite: { command: 'npm run bench', page: 'sqlite' },
  PostgreSQL: { command: 'npm run bench -- --postgres', page: 'postgresql' },
  peers: { command: 'npm run bench -- --peers', page: 'peers' },
  growth: { command: 'npm run bench -- --growth', page: 'growth' },
  backup: { command: 'npm run bench -- --backup', page: 'backup' },
  dashboard: { command: 'npm run bench -- --dashboard', page: 'dashboard' },
  trail: { command: 'npm run bench -- --trail', page: 'trail' },
  size: { command: 'npm run bench -- --size', page: 'size' },
  configuration: { command: 'npm run bench -- --configuration', page: 'configuration' },
  told: { command: 'npm run bench -- --told', page: 'told' },
} as const;
export type SectionName = keyof typeof sections;

/** Returns the path of the page of a section, relative to the root of the project. */
export function pageOf(name: SectionName): string {
  return `docs/performance/${sections[name].page}.md`;
}

export const overview = 'docs/performance.md';

/** Writes a section into its page, and its row into the overview. Throws Error if a page has lost its marks or its row. */
export function writeSection(name: SectionName, measured: string, findings: readonly Finding[]): void {
  const change = (page: string, changed: (text: string) => string) => {
    const path = join(root, page);
    writeFileSync(path, changed(readFileSync(path, 'utf8')));
  };
  change(pageOf(name), (page) => replaceSection(page, name, measured));
  const day = new Date().toISOString().slice(0, 10);
  change(overview, (page) => replaceRow(page, name, day, findings));
}

/**
 * Puts into the row of a section how many goals are reached, and which are missed.
 *
 * @throws Error if the overview has lost the row
 */
export function replaceRow(page: string, name: SectionName, day: string, findings: readonly Finding[]): string {
  const start = page
    .split('\n')
    .find((line) => line.startsWith('| [') && line.includes(`](performance/${sections[name].page}.md) |`));
  if (start === undefined) throw new Error(`${overview} has lost the row of ${name}.`);
  const [, link = '', command = ''] = start.split('|');
  const missed = findings.filter(misses);
  const goals = findings.filter(({ goal }) => goal !== null).length;
  const shown = missed.map(
    ({ what, spread, goal }) => `${what}: ${showMedian(spread)} (${goal === null ? '' : showGoal(goal)})`,
  );
  const row = [link.trim(), command.trim(), day, `${goals - missed.length} of ${goals}`, shown.join('; ')];
  return page.replace(start, () => `| ${row.join(' | ')} |`);
}

/**
 * Puts measured figures into a page, in place of those that were there.
 *
 * @throws Error if the page has lost the marks of the section
 */
export function replaceSection(page: string, name: SectionName, measured: string): string {
  const begin = `<!-- Measured figures of ${name} begin: \`${sections[name].command}\` writes them. -->`;
  const end = `<!-- Measured figures of ${name} end. -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf(end, from);
  if (from === -1 || to === -1) throw new Error(`${pageOf(name)} has lost the marks around the figures of ${name}.`);
  return `${page.slice(0, from)}${begin}\n\n${measured}\n\n${page.slice(to)}`;
}
