// Answers methods that a path does not support.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { SallyportError } from '../domain/errors.ts';
import { sendNothing } from './send.ts';

/** Answers a method that a path does not support, with those that it supports. Throws METHOD_NOT_ALLOWED, except for OPTIONS. */
export function answerOtherMethod(methods: readonly string[], request: IncomingMessage, reply: ServerResponse): void {
  const allowed = [...(methods.includes('GET') ? ['HEAD'] : []), ...methods, 'OPTIONS'];
  reply.setHeader('Allow', allowed.join(', '));
  if (request.method !== 'OPTIONS') {
    const message = `This path does not support ${request.method}. Supported: ${allowed.join(', ')}.`;
    throw new SallyportError('METHOD_NOT_ALLOWED', message);
  }
  sendNothing(reply, 204);
}
