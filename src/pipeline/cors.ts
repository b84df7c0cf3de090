// Which pages of other origins may call us, and what they may send and read.

import cors from 'cors';
import type { RequestHandler } from 'express';
import { rateLimitHeader, rateLimitPolicyHeader } from '../load/rate-limits.ts';
import { idempotencyKeyHeader, replayedHeader } from './answer-once.ts';
import { forceHeader, keyExpiresHeader } from './request.ts';
import { wouldRefuseHeader } from './restrictions.ts';

/**
 * Creates the CORS handler. Other pages may send neither cookies nor the dashboard header: they call with an API key of their own.
 *
 * @param versionHeaders names of the version header
 */
export function createCors(origins: readonly string[], versionHeaders: readonly string[]): RequestHandler {
  return cors({
    origin: [...origins],
    methods: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'If-Match',
      'Last-Event-ID',
      idempotencyKeyHeader,
      forceHeader,
      ...versionHeaders,
    ],
    exposedHeaders: [
      'ETag',
      'X-Request-Id',
      'Allow',
      'Retry-After',
      replayedHeader,
      wouldRefuseHeader,
      keyExpiresHeader,
      rateLimitHeader,
      rateLimitPolicyHeader,
    ],
    maxAge: 600,
  });
}
