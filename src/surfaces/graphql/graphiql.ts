// The GraphiQL page, and the parts that it loads from this server, so that it works without internet.

import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { type GraphQLSchema, introspectionFromSchema, lexicographicSortSchema } from 'graphql';
import { prefersPage } from '../../pipeline/negotiation.ts';
import { answerOtherMethod } from '../../wire/methods.ts';
import { send } from '../../wire/send.ts';
import { createPageProtection } from '../kit/protection.ts';
import { createFileHandler } from '../kit/sent-file.ts';
import { graphiqlPage, graphiqlPagePolicy, graphiqlScript, graphiqlStyle } from './graphiql-page.ts';

/** Nine megabytes of text, loaded at the first request. */
const loadBundle = () => import('@graphql-yoga/render-graphiql/graphiql');

/**
 * Creates the handler of `/graphql` that shows the page to browsers, and passes all other requests on to GraphQL.
 *
 * @param isSecure as for other pages
 */
export function createGraphiQLPage(isSecure: boolean): RequestHandler {
  const protect = createPageProtection(graphiqlPagePolicy, isSecure);
  return async (request, response, next) => {
    if (!['GET', 'HEAD'].includes(request.method) || request.url.includes('?') || !prefersPage(request)) {
      next();
      return;
    }
    await protect(request, response);
    response.vary('Accept');
    send(response, 200, 'text/html; charset=utf-8', graphiqlPage.text);
  };
}

/**
 * Creates the router of what the page loads.
 *
 * @param schema the schema that the page shows. The page loads it from here, because introspection needs a key and the schema is
 *   public.
 */
export function createGraphiQLRouter(schema: GraphQLSchema): Router {
  const router = express.Router({ caseSensitive: true });
  const introspect = async () =>
    JSON.stringify({
      data: introspectionFromSchema(lexicographicSortSchema(schema), {
        schemaDescription: true,
        inputValueDeprecation: true,
      }),
    });
  const parts: Readonly<Record<string, [type: string, read: () => Promise<string>]>> = {
    'start.js': ['text/javascript', async () => graphiqlScript],
    'page.css': ['text/css', async () => graphiqlStyle],
    'introspection.json': ['application/json', introspect],
    'graphiql.js': ['text/javascript', async () => (await loadBundle()).js],
    'graphiql.css': ['text/css', async () => (await loadBundle()).css],
    'editor.worker.js': ['text/javascript', async () => (await loadBundle()).editorWorkerService],
    'graphql.worker.js': ['text/javascript', async () => (await loadBundle()).graphqlWorker],
    'json.worker.js': ['text/javascript', async () => (await loadBundle()).jsonWorker],
  };
  for (const [name, [type, read]] of Object.entries(parts)) {
    const route = router.route(`/graphql/${name}`);
    route.get(createFileHandler(type, read));
    route.all((request: Request, response: Response) => answerOtherMethod(['GET'], request, response));
  }
  return router;
}
