// The pages by their paths below the dashboard. If several match, the first one is shown.

import type { ComponentType } from 'react';

/** A page. The path of an object's page contains `:id`. */
interface PageRoute {
  readonly path: string;
  readonly load: () => Promise<{ readonly default: ComponentType<{ id: string }> }>;
}

export const pages: readonly PageRoute[] = [
  { path: '/', load: () => import('./pages/overview/overview.tsx') },
  { path: '/ip-policies', load: () => import('./pages/ip-policies/list.tsx') },
  { path: '/ip-policies/:id', load: () => import('./pages/ip-policies/policy.tsx') },
  { path: '/tls-edges', load: () => import('./pages/tls-edges/list.tsx') },
  { path: '/tls-edges/:id', load: () => import('./pages/tls-edges/edge.tsx') },
  { path: '/backends', load: () => import('./pages/backends/list.tsx') },
  { path: '/backends/:id', load: () => import('./pages/backends/backend.tsx') },
  { path: '/api-keys', load: () => import('./pages/api-keys/list.tsx') },
  { path: '/api-keys/:id', load: () => import('./pages/api-keys/key.tsx') },
  { path: '/ip-restrictions', load: () => import('./pages/ip-restrictions/list.tsx') },
  { path: '/ip-restrictions/:id', load: () => import('./pages/ip-restrictions/restriction.tsx') },
  { path: '/ssh', load: () => import('./pages/ssh/ssh.tsx') },
  { path: '/ssh/authorities/:id', load: () => import('./pages/ssh/authority.tsx') },
  { path: '/ssh/certificates/:id', load: () => import('./pages/ssh/certificate.tsx') },
  { path: '/ssh/tokens/:id', load: () => import('./pages/ssh/token.tsx') },
  { path: '/https-edges', load: () => import('./pages/https-edges/list.tsx') },
  { path: '/https-edges/:id', load: () => import('./pages/https-edges/edge.tsx') },
  { path: '/https-edges/routes/:id', load: () => import('./pages/https-edges/route.tsx') },
  { path: '/logins', load: () => import('./pages/https-edges/logins.tsx') },
  { path: '/audit-trail', load: () => import('./pages/audit-trail/list.tsx') },
  { path: '/audit-trail/:id', load: () => import('./pages/audit-trail/event.tsx') },
];

/**
 * Returns the page for a path below the dashboard, or undefined if there is none. Matches as the router does. The router's own
 * `matchRoute` cannot be used, because it comes with React and this runs before React has loaded.
 */
export const pageAt = (path: string): PageRoute | undefined =>
  pages.find((page) => new RegExp(`^${page.path.replace(/\/$/, '').replace(':id', '[^/]+')}/?$`, 'i').test(path));
