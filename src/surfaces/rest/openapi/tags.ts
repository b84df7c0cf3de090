// The groups in which routes are shown: their collections, and what areas declare besides.

import { areas } from '../../../areas/areas.ts';

const acronyms = new Set(areas.flatMap((area) => area.acronyms ?? []));
const groups = areas.flatMap((area) => Object.entries(area.groups ?? {}));

/**
 * Returns the group of a route, named after its collection: `IP policy rules` for `/ip_policy_rules/{id}`, `TLS edges` for
 * `/edges/tls`.
 */
export function tagOf(path: string): string {
  const group = groups.find(([beginning]) => path.startsWith(beginning));
  if (group !== undefined) return group[1];
  const steps = path
    .replace(/\/\{.*/, '')
    .slice(1)
    .split('/')
    .reverse();
  const words = steps.flatMap((step) => step.split('_'));
  const text = words.map((word) => (acronyms.has(word) ? word.toUpperCase() : word)).join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
