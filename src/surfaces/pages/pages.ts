// Pages for people, and descriptions for programs. None of it needs an API key, because none of it reveals anything about an
// account.

import express, { type Request, type Response, type Router } from 'express';
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { prefersPage } from '../../pipeline/negotiation.ts';
import type { Reply } from '../../pipeline/request.ts';
import { answerOtherMethod } from '../../wire/methods.ts';
import { redirectTo, send, sendJson } from '../../wire/send.ts';
import type { Html } from '../kit/html.ts';
import { createPageProtection } from '../kit/protection.ts';
import { createFileHandler } from '../kit/sent-file.ts';
import { referencePage, referencePagePolicy, referenceParts } from './reference-page.ts';
import { entrances, startDocument, startPage, startPagePolicy } from './start-page.ts';

export interface PagesOptions {
  readonly schema: GraphQLSchema;
  /** Writes the description of the REST surface. Called at the first request. */
  readonly openApi: () => string;
  /** Writes the JSON Schema of documents of the configuration. Called at the first request. */
  readonly documentSchema: () => Promise<string>;
  readonly versionHeader: string;
  /** Whether browsers come over HTTPS. */
  readonly isSecure: boolean;
  /** Whether there is a dashboard to redirect people to. */
  readonly hasDashboard: boolean;
}

/** Creates the router of the pages. */
export function createPagesRouter(options: PagesOptions): Router {
  const { schema, openApi, documentSchema, versionHeader, isSecure, hasDashboard } = options;
  const router = express.Router({ caseSensitive: true });
  const protectStart = createPageProtection(startPagePolicy, isSecure);
  const protectReference = createPageProtection(referencePagePolicy, isSecure);

  const showStart = async (request: Request, reply: Reply) => {
    await protectStart(request, reply);
    sendPage(reply, startPage(reply.locals.info.baseUrl, versionHeader));
  };
  router.get('/', async (request: Request, reply: Reply) => {
    reply.vary('Accept');
    if (!prefersPage(request)) {
      sendJson(reply, 200, startDocument(reply.locals.info.baseUrl));
    } else if (hasDashboard) redirectTo(reply, 'dashboard/');
    else await showStart(request, reply);
  });
  router.get('/start', showStart);
  router.get(entrances.docs.path, async (request: Request, reply: Reply) => {
    await protectReference(request, reply);
    sendPage(reply, referencePage);
  });
  for (const [name, { type, read }] of Object.entries(referenceParts)) {
    router.get(`${entrances.docs.path}/${name}`, createFileHandler(type, read));
  }
  router.get(
    entrances.openapi.path,
    createFileHandler('application/json', async () => openApi()),
  );
  router.get(
    entrances.schema.path,
    createFileHandler('application/graphql', async () => `${printSchema(lexicographicSortSchema(schema))}\n`),
  );
  router.get(entrances.configuration.path, createFileHandler('application/schema+json', documentSchema));
  const parts = Object.keys(referenceParts).map((name) => `${entrances.docs.path}/${name}`);
  const paths = Object.values(entrances).map(({ path }) => path);
  for (const path of ['/', '/start', ...paths.filter((path) => path !== entrances.graphql.path), ...parts]) {
    router.all(path, (request: Request, reply: Reply) => answerOtherMethod(['GET'], request, reply));
  }
  return router;
}

function sendPage(response: Response, { text }: Html): void {
  send(response, 200, 'text/html; charset=utf-8', text);
}
