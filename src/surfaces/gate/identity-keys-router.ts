// The public keys of signed identities, for applications, which have no API key.

import express, { type Request, type Router } from 'express';
import type { IdentityKeys } from '../../domain/gate/identity-token.ts';
import type { Reply } from '../../pipeline/request.ts';
import { answerOtherMethod } from '../../wire/methods.ts';
import { send } from '../../wire/send.ts';

const path = '/gate/jwks.json';
/** How long they may be cached, in seconds: the next key is published a month before it signs. */
const maxAge = 600;

/** Creates the router of the keys. */
export function createIdentityKeysRouter(keys: IdentityKeys, now: () => Date): Router {
  const router = express.Router({ caseSensitive: true });
  router.get(path, (_request: Request, reply: Reply) => {
    reply.set({ 'Cache-Control': `public, max-age=${maxAge}`, 'Access-Control-Allow-Origin': '*' });
    // RFC 7517, section 8.5.2.
    send(reply, 200, 'application/jwk-set+json', JSON.stringify({ keys: keys.publishedAt(now().getTime()) }));
  });
  router.all(path, (request: Request, reply: Reply) => answerOtherMethod(['GET'], request, reply));
  return router;
}
