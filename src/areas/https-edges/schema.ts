// HTTPS edges in GraphQL.

import { loadNamedOnes } from '../../graphql/kit/batch.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { textsOf } from '../../graphql/kit/column-fields.ts';
import { decidingNode } from '../../graphql/kit/deciding.ts';
import { hostportsDescription, hostportsInput } from '../../graphql/kit/hostports.ts';
import { createMutation, deleteMutation, updateMutation } from '../../graphql/kit/mutations.ts';
import { resourceQueries } from '../../graphql/kit/queries.ts';
import { forceInput, type InputBuilder } from '../../graphql/kit/resource.ts';
import { searchable, searchedList } from '../../graphql/kit/search-query.ts';
import { loadInnerIds } from '../../graphql/lists/inner-list.ts';
import './gate-schema.ts';
import './metadata-schema.ts';
import './proxy-schema.ts';
import './route-schema.ts';
import './saml-changes-schema.ts';
import { httpsEdgeRoutes, httpsEdges, routesOfEdge } from './collections-store.ts';
import { routesMax } from './rules.ts';
import './login-session-schema.ts';
import { createHttpsEdge, deleteHttpsEdge, updateHttpsEdge } from './store.ts';

// An edge may have many routes (`routesMax`) but usually has few. What is actually returned is counted separately.
const usualRoutes = { multiplier: 10 };

const HttpsEdge = builder.prismaNode('HttpsEdge', {
  ...decidingNode,
  fields: (t) => ({
    hostports: t.stringList(textsOf('hostports', hostportsDescription)),
    signsIdentity: t.exposeBoolean('signsIdentity', {
      description: 'Whether applications get a signed identity with each request, in `Sallyport-Identity`.',
    }),
    forwardsKeys: t.exposeBoolean('forwardsKeys', {
      description: 'Whether applications also get the API keys by which programs pass.',
    }),
    routes: t.field({
      type: ['HttpsEdgeRoute'],
      description: `The routes of the edge, newest first; at most ${routesMax}.`,
      complexity: usualRoutes,
      resolve: async ({ id, routeCount }, _args, context, info) => {
        if (routeCount === 0) return [];
        const ids = await loadInnerIds(routesOfEdge, id, routesMax, context);
        return loadNamedOnes(httpsEdgeRoutes, ids, context, info);
      },
    }),
  }),
});

searchable('HttpsEdge', searchedList('hostports'));

resourceQueries('HttpsEdge', HttpsEdge, httpsEdges, {
  one: { name: 'httpsEdge', noun: 'HTTPS edge' },
  list: { name: 'httpsEdges', description: 'The HTTPS edges of the account, newest first.' },
});

/** The input fields for what applications get. */
const forwardedInput = (t: InputBuilder) => ({
  signsIdentity: t.boolean({
    description:
      'Whether applications get a signed identity with each request: a JWT in `Sallyport-Identity`, whose keys are at ' +
      '`/gate/jwks.json`. Defaults to false.',
    extensions: { configured: { default: false } },
  }),
  forwardsKeys: t.boolean({
    description:
      'Whether applications also get the API keys by which programs pass, in `Authorization`. Defaults to false.',
    extensions: { configured: { default: false } },
  }),
});

createMutation('createHttpsEdge', HttpsEdge, {
  description: 'Creates an HTTPS edge without routes.',
  input: (t) => ({ ...hostportsInput(t, 'Defaults to none.'), ...forwardedInput(t) }),
  resolve: (input, { scope }) => createHttpsEdge(scope, input),
});

updateMutation('updateHttpsEdge', HttpsEdge, {
  description: 'Updates an HTTPS edge. Its routes are changed separately.',
  input: (t) => ({ ...hostportsInput(t, 'Replaces the list.'), ...forwardedInput(t), ...forceInput(t) }),
  resolve: (input, { scope }) => updateHttpsEdge(scope, input),
});

deleteMutation('deleteHttpsEdge', {
  description: 'Deletes an HTTPS edge with its routes and their modules.',
  input: forceInput,
  resolve: (input, { scope }) => deleteHttpsEdge(scope, input),
});
