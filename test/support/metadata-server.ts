// An https server that answers with the metadata of identity providers, or with whatever else it is told.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { certifyKey } from '../../src/domain/saml/signing-key.ts';
import { idpEntityId } from './identity-provider.ts';
import { rsaKeyFromStock } from './keys.ts';

/** Starts a server. Its certificate is signed by itself, which this process accepts until it is closed. */
export async function serveMetadata() {
  const key = rsaKeyFromStock(2048, 'server');
  const { certificatePem } = certifyKey('signing', key, 'localhost', randomBytes(16), new Date('2026-01-01T00:00:00Z'));
  const strict = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  let answer: RequestListener = (_request, reply) => reply.writeHead(404).end();
  let askedTimes = 0;
  const tls = { key: key.export({ format: 'pem', type: 'pkcs8' }), cert: certificatePem };
  const server = createServer(tls, (...given) => {
    askedTimes += 1;
    answer(...given);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const listening = server.address();
  return {
    url: `https://127.0.0.1:${typeof listening === 'object' ? listening?.port : ''}/metadata`,
    /** How often it was asked. */
    asked: () => askedTimes,
    answerBy(listener: RequestListener) {
      answer = listener;
    },
    say(text: string, status = 200, headers = {}) {
      answer = (_request, reply) => reply.writeHead(status, headers).end(text);
    },
    close() {
      if (strict === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = strict;
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Returns the metadata of several entities, each like that which is given. */
export function severalMetadata(metadata: string, ids: readonly string[], attributes = ''): string {
  const entities = ids.map((id) => metadata.replace(idpEntityId, id)).join('');
  return `<EntitiesDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata"${attributes}>${entities}</EntitiesDescriptor>`;
}
