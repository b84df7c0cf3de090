// What a request is for its sender: a page that somebody looks at, or data for a program. Pure.

import type { IncomingHttpHeaders } from 'node:http';

/**
 * - `view`: a person wants to see a page, and can be sent anywhere for it.
 * - `form`: a person will see the answer, but the request is not one to repeat elsewhere, such as a form that is sent.
 * - `program`: everything else: scripts, images, frames, and pages that a browser fetches in advance.
 */
export type Purpose = 'view' | 'form' | 'program';

/**
 * Tells the purpose of a request. Browsers say it in `Sec-Fetch-Mode` and `Sec-Fetch-Dest` (W3C Fetch Metadata); where these are
 * missing, as in Safari before 16.4, `Accept` is all that there is to go by.
 *
 * @param headers of the proxy's question, with those of the client that it passes on
 * @param method of the request that the question is about
 */
export function purposeOf(headers: IncomingHttpHeaders, method: string | undefined): Purpose {
  // A proxy may pass on a header that was not sent as one without a value.
  const sent = (name: string) => headers[name] || undefined;
  const [mode, destination] = [sent('sec-fetch-mode'), sent('sec-fetch-dest')];
  if (sent('x-requested-with') !== undefined || isPrefetch(headers)) return 'program';
  // Browsers send both; the `fetch` of Node sends a mode alone, which says nothing.
  const isPage =
    destination === undefined ? acceptsHtml(headers.accept ?? '') : mode === 'navigate' && destination === 'document';
  if (!isPage) return 'program';
  return method === 'GET' || method === 'HEAD' ? 'view' : 'form';
}

/** Returns whether a browser fetches something before anybody wants to see it: by the standard header, and by older ones. */
function isPrefetch(headers: IncomingHttpHeaders): boolean {
  return ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].some((name) =>
    /prefetch|prerender|preview/i.test(String(headers[name] ?? '')),
  );
}

function acceptsHtml(accept: string): boolean {
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === 'text/html' && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}

/** Returns whether the user made a request at the application itself, as far as the browser says: no other site caused it. */
export function isOwnWish(headers: IncomingHttpHeaders): boolean {
  return !/cross-site/.test(String(headers['sec-fetch-site'] ?? '')) && !isPrefetch(headers);
}
