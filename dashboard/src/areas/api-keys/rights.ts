// The rights that can be selected for a key. Pure functions.

import { dayMs } from '../../kit/time.tsx';
import { areas } from '../areas.ts';

/** Level of access to an area. */
export type Level = 'none' | 'read' | 'write';
export const levels: readonly Level[] = ['none', 'read', 'write'];

/** Narrow scopes, for a single purpose. */
export const narrowScopes = areas.flatMap(({ name: area, narrowScopes: own = [] }) =>
  own.map((narrow) => ({ ...narrow, area })),
);

/** The selected rights: a level for each area, with `''` for all areas, and narrow scopes. */
export interface Choice {
  readonly levels: Readonly<Record<string, Level>>;
  readonly narrow: readonly string[];
}

export const nothing: Choice = { levels: {}, narrow: [] };

const rank = (level: Level) => levels.indexOf(level);

/** Returns the level selected for an area, including the level selected for all areas. */
export function levelOf(choice: Choice, area: string): Level {
  const all = choice.levels[''] ?? 'none';
  const own = choice.levels[area] ?? 'none';
  return rank(all) > rank(own) ? all : own;
}

/** Returns the scopes of a selection, without scopes that another one includes. */
export function scopesOf(choice: Choice): string[] {
  const all = choice.levels[''] ?? 'none';
  const scopes: string[] = all === 'none' ? [] : [all];
  for (const { name: area } of areas) {
    const own = choice.levels[area] ?? 'none';
    if (rank(own) > rank(all)) scopes.push(`${area}:${own}`);
  }
  for (const { scope, area, isApart = false } of narrowScopes) {
    if (choice.narrow.includes(scope) && (isApart || levelOf(choice, area) !== 'write')) scopes.push(scope);
  }
  return scopes;
}

/** Describes what a scope allows. */
export function sayScope(scope: string): string {
  if (scope === 'write') return 'read and change everything';
  if (scope === 'read') return 'read everything';
  const narrow = narrowScopes.find((each) => each.scope === scope);
  if (narrow) return narrow.hint;
  const [area, access] = scope.split(':');
  const title = areas.find((each) => each.name === area)?.title ?? area;
  return access === 'write' ? `read and change: ${title}` : `read: ${title}`;
}

/** Common lifetimes, in days. */
const ends = [
  { value: '1', title: 'In a day', days: 1 },
  { value: '7', title: 'In a week', days: 7 },
  { value: '30', title: 'In 30 days', days: 30 },
  { value: '90', title: 'In 90 days', days: 90 },
  { value: '365', title: 'In a year', days: 365 },
] as const;

/**
 * Returns the options for the expiry of a new key, which cannot outlive the key that creates it.
 *
 * @param makerEnds when the creating key expires; null for never
 * @param now milliseconds since 1970
 */
export function possibleEnds(makerEnds: string | null, now: number) {
  const latest = makerEnds === null ? Number.POSITIVE_INFINITY : Date.parse(makerEnds);
  const early = ends.filter(({ days }) => now + days * dayMs <= latest);
  const last =
    makerEnds === null ? { value: 'latest', title: 'Never' } : { value: 'latest', title: 'With your own key' };
  return [...early.map(({ value, title }) => ({ value, title })), { value: 'date', title: 'On a date' }, last];
}

/** Returns the expiry to send; undefined for the latest possible. A date stands for its last second in the browser's time zone. */
export function endOf(chosen: string, date: string, now: number): string | undefined {
  if (chosen === 'date') {
    const at = new Date(`${date}T23:59:59`);
    return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
  }
  const days = ends.find(({ value }) => value === chosen)?.days;
  return days === undefined ? undefined : new Date(now + days * dayMs).toISOString();
}
