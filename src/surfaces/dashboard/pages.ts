// The dashboard as browsers get it: one page for all of its paths, and the files that the page loads. Nothing in it names the path
// that it is served under, so it works behind a proxy that strips a prefix, without configuration.

import { createHash } from 'node:crypto';
import express, { type Request, type Router } from 'express';
import { SallyportError } from '../../domain/errors.ts';
import { hasSessionCookie } from '../../pipeline/dashboard-sessions.ts';
import { queryTextOf, type Reply } from '../../pipeline/request.ts';
import { answerOtherMethod } from '../../wire/methods.ts';
import { redirectTo, send } from '../../wire/send.ts';
import { type ContentSecurityPolicy, createPageProtection } from '../kit/protection.ts';
import type { DashboardFile, DashboardFiles } from './files.ts';

/** What the page loads: its own files, and answers of this server. The page has no inline scripts or styles. */
const policy: ContentSecurityPolicy = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'font-src': ["'self'"],
  'connect-src': ["'self'"],
  'base-uri': ["'self'"],
  'form-action': ["'self'"],
  'frame-ancestors': ["'none'"],
};

const root = '/dashboard/';
/** Files with the hash of their content in their names: they never change. */
const assets = 'assets/';
/** Placeholder that the build leaves in the page for the server to fill. */
const baseTag = '<base href="./" />';
/**
 * Placeholder for whether there may be a session. If so, the page requests what needs a session before it knows. It says only
 * whether the request had a session cookie; no session is looked up.
 */
const sessionTag = '<meta name="session" content="none" />';

/** A year, which counts as forever (RFC 9111, section 1.2.2). */
const forEver = 'public, max-age=31536000, immutable';

/**
 * Creates the router of the dashboard.
 *
 * @param dashboard null if it was not built
 * @param isSecure as for other pages
 */
export function createDashboardRouter(dashboard: DashboardFiles | null, isSecure: boolean): Router {
  // `/dashboard` and `/dashboard/` are different: what the page loads is relative to its path.
  const router = express.Router({ caseSensitive: true, strict: true });
  const protect = createPageProtection(policy, isSecure);

  router.get('/dashboard', (request: Request, reply: Reply) => {
    const query = queryTextOf(request.url);
    redirectTo(reply, `dashboard/${query === '' ? '' : `?${query}`}`);
  });
  router.get('/dashboard/{*path}', async (request: Request, reply: Reply) => {
    if (dashboard === null) {
      throw new SallyportError(
        'UNAVAILABLE',
        'The dashboard has not been built. Run "npm run build", then start the server again.',
      );
    }
    // As it was sent: a path that is not exactly the name of a file is not a file.
    const path = request.path.slice(root.length);
    const file = dashboard.files.get(path);
    if (file !== undefined) {
      sendFile(request, reply, file, path.startsWith(assets));
      return;
    }
    if (path.startsWith(assets)) throw new SallyportError('UNKNOWN_ROUTE', 'The dashboard has no such file.');
    await protect(request, reply);
    const based = dashboard.page.replace(baseTag, `<base href="${baseOf(path)}" />`);
    const page = hasSessionCookie(request)
      ? based.replace(sessionTag, '<meta name="session" content="maybe" />')
      : based;
    reply.set('ETag', `"${createHash('sha256').update(page).digest('base64url')}"`);
    send(reply, 200, 'text/html; charset=utf-8', page);
  });
  for (const path of ['/dashboard', '/dashboard/{*path}']) {
    router.all(path, (request: Request, reply: Reply) => answerOtherMethod(['GET'], request, reply));
  }
  return router;
}

/** Returns the path of the dashboard, relative to that of a page. */
function baseOf(path: string): string {
  const depth = path.split('/').length - 1;
  return depth === 0 ? './' : '../'.repeat(depth);
}

function sendFile(request: Request, reply: Reply, { type, plain, br, gzip, tag }: DashboardFile, isForEver: boolean) {
  const takes = (encoding: 'br' | 'gzip') => request.acceptsEncodings(encoding) === encoding;
  const [form, content] =
    br !== null && takes('br') ? ['br', br] : gzip !== null && takes('gzip') ? ['gzip', gzip] : [null, plain];
  if (isForEver) reply.set('Cache-Control', forEver);
  if (form !== null) reply.set('Content-Encoding', form);
  reply.set('Vary', 'Accept-Encoding');
  // Each form has a tag of its own (RFC 9110, section 8.8.3.3).
  reply.set('ETag', form === null ? `"${tag}"` : `"${tag}-${form}"`);
  send(reply, 200, type, content);
}
