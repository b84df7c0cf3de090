// The rights that a key can have, as they are chosen. Pure.

/** How much of an area. */
export type Level = 'none' | 'read' | 'write';
export const levels: readonly Level[] = ['none', 'read', 'write'];

/** The areas, by what people call them. `''` is all of them. */
export const areas = [
  { area: 'ip-policies', title: 'IP policies' },
  { area: 'ip-restrictions', title: 'IP restrictions' },
  { area: 'ssh', title: 'SSH' },
  { area: 'https-edges', title: 'HTTPS edges' },
  { area: 'tls-edges', title: 'TLS edges' },
  { area: 'backends', title: 'Backends' },
  { area: 'api-keys', title: 'API keys' },
  { area: 'audit-events', title: 'Audit trail' },
] as const;

/** Scopes for one thing, and what they are for. */
export const narrowScopes = [
  {
    scope: 'ssh:enroll',
    area: 'ssh',
    title: 'Enrollment tokens',
    hint: 'Makes and revokes them, and nothing else of SSH.',
  },
  { scope: 'gate', area: 'https-edges', title: 'The gate', hint: 'Asks it for decisions, and ends sessions of users.' },
] as const;

/** What is chosen: a level for each area, with `''` for everything, and narrow scopes. */
export interface Choice {
  readonly levels: Readonly<Record<string, Level>>;
  readonly narrow: readonly string[];
}

export const nothing: Choice = { levels: {}, narrow: [] };

const rank = (level: Level) => levels.indexOf(level);

/** Gives the level of a choice for an area, with what "everything" includes. */
export function levelOf(choice: Choice, area: string): Level {
  const all = choice.levels[''] ?? 'none';
  const own = choice.levels[area] ?? 'none';
  return rank(all) > rank(own) ? all : own;
}

/** Gives the scopes of a choice: none that another includes. */
export function scopesOf(choice: Choice): string[] {
  const all = choice.levels[''] ?? 'none';
  const scopes: string[] = all === 'none' ? [] : [all];
  for (const { area } of areas) {
    const own = choice.levels[area] ?? 'none';
    if (rank(own) > rank(all)) scopes.push(`${area}:${own}`);
  }
  for (const { scope, area } of narrowScopes) {
    if (choice.narrow.includes(scope) && levelOf(choice, area) !== 'write') scopes.push(scope);
  }
  return scopes;
}

/** Tells whether scopes allow another to be given. */
export function includes(scopes: readonly string[], scope: string): boolean {
  const narrow = narrowScopes.find((each) => each.scope === scope);
  if (narrow) return scopes.includes(scope) || scopes.includes('write') || scopes.includes(`${narrow.area}:write`);
  const [first = '', second] = scope.split(':');
  const access = second ?? first;
  const enough = access === 'read' ? ['read', 'write'] : ['write'];
  return enough.some((each) => scopes.includes(each) || (second !== undefined && scopes.includes(`${first}:${each}`)));
}

/** Says what a scope allows. */
export function sayScope(scope: string): string {
  if (scope === 'write') return 'read and change everything';
  if (scope === 'read') return 'read everything';
  const narrow = narrowScopes.find((each) => each.scope === scope);
  if (narrow) return narrow.hint;
  const [area, access] = scope.split(':');
  const title = areas.find((each) => each.area === area)?.title ?? area;
  return access === 'write' ? `read and change: ${title}` : `read: ${title}`;
}

const dayMs = 86_400_000;

/** Ends that are often chosen; `days` is null for the latest that is possible. */
export const ends = [
  { value: '1', title: 'In a day', days: 1 },
  { value: '7', title: 'In a week', days: 7 },
  { value: '30', title: 'In 30 days', days: 30 },
  { value: '90', title: 'In 90 days', days: 90 },
  { value: '365', title: 'In a year', days: 365 },
] as const;

/**
 * Gives the ends that a key can have that is made by another.
 *
 * @param makerEnds when the maker ends; null for never
 * @param now milliseconds since 1970
 */
export function possibleEnds(makerEnds: string | null, now: number) {
  const latest = makerEnds === null ? Number.POSITIVE_INFINITY : Date.parse(makerEnds);
  const early = ends.filter(({ days }) => now + days * dayMs <= latest);
  const last =
    makerEnds === null ? { value: 'latest', title: 'Never' } : { value: 'latest', title: 'With your own key' };
  return [...early.map(({ value, title }) => ({ value, title })), { value: 'date', title: 'On a date' }, last];
}

/** Gives when a key ends, as it is sent; undefined for the latest that is possible. A day ends at its last second, here. */
export function endOf(chosen: string, date: string, now: number): string | undefined {
  if (chosen === 'date') {
    const at = new Date(`${date}T23:59:59`);
    return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
  }
  const days = ends.find(({ value }) => value === chosen)?.days;
  return days === undefined ? undefined : new Date(now + days * dayMs).toISOString();
}
