// What is served without an API key: files for programs that have none, such as ssh and identity providers.
// It asks GraphQL nothing, because everything there is for an account.

import { createHash } from 'node:crypto';
import express, { type Request, type Router } from 'express';
import { LRUCache } from 'lru-cache';
import { notFound } from '../domain/errors.ts';
import { serviceProviderUrls, writeServiceProviderMetadata } from '../domain/saml/service-provider.ts';
import { createSharedWork } from '../domain/shared-work.ts';
import { writeKeyRevocationList } from '../domain/ssh/key-revocation-list.ts';
import { blobOfLine } from '../domain/ssh/public-key.ts';
import { answerOtherMethod } from '../rest/adapter.ts';
import type { PublishedFile } from '../rest/openapi.ts';
import type { Storage } from '../storage/storage.ts';
import type { Reply } from './request.ts';

/** SAML metadata 2.0, appendix A. */
const samlMediaType = 'application/samlmetadata+xml; charset=utf-8';

/** Revocation lists kept in memory: writing one takes all its serials out of the database, and sorts them. */
const listsMax = 100;

interface KeptList {
  readonly list: Buffer;
  readonly version: bigint;
}

/** What is published, for the description of the REST surface: an entry for each path of the router below. */
export const publishedFiles: readonly PublishedFile[] = [
  {
    path: '/ssh_certificate_authorities/{id}/krl',
    operationId: 'GetSshKeyRevocationList',
    summary: 'The key revocation list of a certificate authority',
    description:
      'The list of revoked host certificates, in the binary form that `RevokedHostKeys` of an SSH client reads. No API ' +
      'key is needed. Ask again with `If-None-Match`, which costs little.',
    mediaType: 'application/octet-stream',
    parameters: { id: 'Identifier of the authority.' },
  },
  {
    path: '/saml/{route_id}',
    operationId: 'GetSamlServiceProviderMetadata',
    summary: 'The SAML metadata of a route, for its identity provider',
    description:
      'The metadata of the service provider, with the certificate of the key that signs its requests. No API key is needed.',
    mediaType: 'application/samlmetadata+xml',
    parameters: { route_id: 'Identifier of the route of an HTTPS edge that has a SAML module.' },
  },
];

/** Creates the router of what is published. Its handlers throw coded errors. */
export function createPublishedRouter({ published }: Storage): Router {
  const router = express.Router({ caseSensitive: true });
  const lists = new LRUCache<string, KeptList>({ max: listsMax });

  const writing = createSharedWork<Buffer>();

  /** Gives the revocation list of an authority: the kept one until it changes. */
  const revocationList = async (id: string): Promise<Buffer> =>
    // A list that is being written may lack what was revoked since it was begun: who asks now shares the next.
    (await keptList(id)) ?? writing.run(id, async () => (await keptList(id)) ?? writeList(id));

  const keptList = async (id: string): Promise<Buffer | undefined> => {
    const kept = lists.get(id);
    return kept !== undefined && (await published.sshRevocationsVersion(id)) === kept.version ? kept.list : undefined;
  };

  const writeList = async (id: string): Promise<Buffer> => {
    const revocations = await published.sshRevocations(id);
    if (revocations === null) {
      lists.delete(id);
      throw notFound();
    }
    const { publicKey, serials, version, changedAt } = revocations;
    const list = writeKeyRevocationList({
      authorityBlob: blobOfLine(publicKey),
      serials,
      version,
      generatedAt: changedAt,
    });
    lists.set(id, { list, version });
    return list;
  };

  router.get('/ssh_certificate_authorities/:id/krl', async (request: Request<{ id: string }>, reply: Reply) => {
    sendFile(reply, 'application/octet-stream', await revocationList(request.params.id));
  });
  router.all('/ssh_certificate_authorities/:id/krl', (request: Request, reply: Reply) =>
    answerOtherMethod(['GET'], request, reply),
  );

  router.get('/saml/:route_id', async (request: Request<{ route_id: string }>, reply: Reply) => {
    const { route_id: routeId } = request.params;
    const provider = await published.serviceProvider(routeId);
    if (provider === null) throw notFound();
    const xml = writeServiceProviderMetadata(serviceProviderUrls(reply.locals.info.baseUrl, routeId), provider);
    sendFile(reply, samlMediaType, Buffer.from(xml));
  });
  router.all('/saml/:route_id', (request: Request, reply: Reply) => answerOtherMethod(['GET'], request, reply));

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
