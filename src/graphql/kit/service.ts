// The running program, in GraphQL.

import { countCost } from '../../load/limits.ts';
import { forEveryKey } from '../wrappers/rights.ts';
import { builder } from './builder.ts';
import type { Service as RunningService } from './context.ts';

const Service = builder.objectRef<RunningService & { readonly found: readonly string[] }>('Service').implement({
  description: 'The answering server.',
  fields: (t) => ({
    version: t.exposeString('version', { description: 'Its version.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it started serving.' }),
    database: t.exposeString('database', { description: 'Its database engine: `SQLite` or `PostgreSQL`.' }),
    healthy: t.boolean({
      description: 'Whether it is ready to serve, as the readiness probe reports.',
      resolve: ({ found }) => found.length === 0,
    }),
    problems: t.stringList({
      description: 'What is wrong with it, in sentences; empty if nothing is wrong.',
      resolve: ({ found }) => [...found],
    }),
  }),
});

builder.queryField('service', (t) =>
  t.field({
    type: Service,
    nullable: true,
    description: 'The answering server and its health.',
    extensions: forEveryKey,
    // Checks whether the database responds.
    complexity: { field: countCost },
    resolve: async (_root, _args, { service }) => ({ ...service, found: await service.problems() }),
  }),
);
