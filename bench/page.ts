// Writes docs/performance.md: the measured figures stand between the marks of their section. What people write around the marks
// stays.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './servers.ts';

/** The sections that have figures, and the commands that write them. */
export const sections = {
  SQLite: 'npm run bench',
  PostgreSQL: 'npm run bench -- --postgres',
  peers: 'npm run bench -- --peers',
  dashboard: 'npm run bench -- --dashboard',
  trail: 'npm run bench -- --trail',
  size: 'npm run bench -- --size',
  configuration: 'npm run bench -- --configuration',
  told: 'npm run bench -- --told',
} as const;
export type SectionName = keyof typeof sections;

const path = join(root, 'docs/performance.md');

/** Writes a section into the page. Throws Error if the page has lost its marks. */
export function writeSection(name: SectionName, measured: string): void {
  writeFileSync(path, replaceSection(readFileSync(path, 'utf8'), name, measured));
}

/**
 * Puts measured figures into a page, in place of those that were there.
 *
 * @throws Error if the page has lost the marks of the section
 */
export function replaceSection(page: string, name: SectionName, measured: string): string {
  const begin = `<!-- Measured figures of ${name} begin: \`${sections[name]}\` writes them. -->`;
  const end = `<!-- Measured figures of ${name} end. -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf(end, from);
  if (from === -1 || to === -1) throw new Error(`${path} has lost the marks around the figures of ${name}.`);
  return `${page.slice(0, from)}${begin}\n\n${measured}\n\n${page.slice(to)}`;
}
