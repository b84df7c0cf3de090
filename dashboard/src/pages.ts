// The pages by their paths below the dashboard. If several match, the first one is shown.

import type { PageRoute } from './areas/area.ts';
import { areas } from './areas/areas.ts';

export const pages: readonly PageRoute[] = [
  { path: '/', load: () => import('./pages/overview/overview.tsx') },
  ...areas.flatMap((area) => area.pages),
];

/**
 * Returns the page for a path below the dashboard, or undefined if there is none. Matches as the router does. The router's own
 * `matchRoute` cannot be used, because it comes with React and this runs before React has loaded.
 */
export const pageAt = (path: string): PageRoute | undefined =>
  pages.find((page) => new RegExp(`^${page.path.replace(/\/$/, '').replace(':id', '[^/]+')}/?$`, 'i').test(path));
