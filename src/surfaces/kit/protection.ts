// The headers that protect pages, by helmet, without those that leave a page blank on plain HTTP.

import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import helmet from 'helmet';

/** Directives of a content security policy, with the sources that each allows. */
export type ContentSecurityPolicy = Readonly<Record<string, readonly string[]>>;

/** Returns the source that allows one inline style or script, given its exact text. */
export function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

const hstsSeconds = 180 * 24 * 60 * 60;

/**
 * Creates the function that sets the headers of one page.
 *
 * @param policy everything that the page loads. No defaults are added: helmet's `upgrade-insecure-requests` would leave a page
 *   without its scripts on any plain HTTP address but this machine's own.
 * @param isSecure whether browsers come over HTTPS, as `BASE_URL` says. Only then are they told never to use plain HTTP, and
 *   given the headers that they ignore, with a complaint, on plain HTTP.
 */
export function createPageProtection(policy: ContentSecurityPolicy, isSecure: boolean) {
  const setHeaders = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { ...policy } },
    // Not for subdomains, about which we know nothing.
    strictTransportSecurity: isSecure ? { maxAge: hstsSeconds, includeSubDomains: false } : false,
    crossOriginOpenerPolicy: isSecure,
    originAgentCluster: isSecure,
    xFrameOptions: { action: 'deny' },
  });
  return (request: Request, response: Response): Promise<void> =>
    new Promise((resolve, reject) => {
      setHeaders(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
    });
}
