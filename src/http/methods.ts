// Answers methods that a path does not support.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { SallyportError } from '../domain/errors.ts';
import { sendNothing } from './send.ts';

/**
 * Answers a method that a path does not support, with those that it supports.
 *
 * @throws METHOD_NOT_ALLOWED, except for OPTIONS
 */
export function answerOtherMethod(methods: readonly string[], request: IncomingMessage, reply: ServerResponse): void {
  const allowed = [...(methods.includes('GET') ? ['HEAD'] : []), ...methods, 'OPTIONS'];
  if (request.method !== 'OPTIONS') refuseMethod(allowed, request, reply);
  reply.setHeader('Allow', allowed.join(', '));
  sendNothing(reply, 204);
}

/**
 * Refuses the method of a request.
 *
 * @throws METHOD_NOT_ALLOWED
 */
export function refuseMethod(allowed: readonly string[], { method }: IncomingMessage, reply: ServerResponse): never {
  reply.setHeader('Allow', allowed.join(', '));
  throw new SallyportError(
    'METHOD_NOT_ALLOWED',
    `This path does not support ${method}. Supported: ${allowed.join(', ')}.`,
  );
}
