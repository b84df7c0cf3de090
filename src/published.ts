// What is served without an API key: files for programs that have none, such as ssh and identity providers.
// It asks GraphQL nothing, because everything there is for an account.

import { createHash } from 'node:crypto';
import express, { type Request, type Router } from 'express';
import { notFound } from './domain/errors.ts';
import { serviceProviderUrls, writeServiceProviderMetadata } from './domain/saml/service-provider.ts';
import { writeKeyRevocationList } from './domain/ssh/key-revocation-list.ts';
import { blobOfLine } from './domain/ssh/public-key.ts';
import { answerOtherMethod } from './rest/adapter.ts';
import type { Reply } from './rest/request.ts';
import type { Storage } from './storage/storage.ts';

/** SAML metadata 2.0, appendix A. */
const samlMediaType = 'application/samlmetadata+xml; charset=utf-8';

/** Creates the router of what is published. Its handlers throw coded errors. */
export function createPublishedRouter({ published }: Storage, now: () => Date): Router {
  const router = express.Router({ caseSensitive: true });

  router.get('/ssh_certificate_authorities/:id/krl', async (request: Request<{ id: string }>, reply: Reply) => {
    const revocations = await published.sshRevocations(request.params.id, now());
    if (revocations === null) throw notFound();
    const { publicKey, serials, version, changedAt } = revocations;
    const list = writeKeyRevocationList({
      authorityBlob: blobOfLine(publicKey),
      serials,
      version,
      generatedAt: changedAt,
    });
    sendFile(reply, 'application/octet-stream', list);
  });
  router.all('/ssh_certificate_authorities/:id/krl', (request: Request, reply: Reply) =>
    answerOtherMethod(['GET'], request, reply),
  );

  router.get('/saml/:routeId', async (request: Request<{ routeId: string }>, reply: Reply) => {
    const { routeId } = request.params;
    const provider = await published.serviceProvider(routeId);
    if (provider === null) throw notFound();
    const xml = writeServiceProviderMetadata(serviceProviderUrls(reply.locals.info.baseUrl, routeId), provider);
    sendFile(reply, samlMediaType, Buffer.from(xml));
  });
  router.all('/saml/:routeId', (request: Request, reply: Reply) => answerOtherMethod(['GET'], request, reply));

  return router;
}

/** Sends a file whole, with a strong ETag of its content, so that clients can ask again cheaply. */
function sendFile(reply: Reply, type: string, content: Buffer): void {
  reply.set({
    'Content-Type': type,
    'Cache-Control': 'public, no-cache',
    ETag: `"${createHash('sha256').update(content).digest('base64url')}"`,
  });
  reply.send(content);
}
