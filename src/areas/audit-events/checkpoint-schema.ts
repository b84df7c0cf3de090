// The signed checkpoints of the audit trail in GraphQL.

import { builder } from '../../graphql/kit/builder.ts';
import { uriOf } from '../../graphql/kit/context.ts';
import { ofColumns } from '../../graphql/kit/fields.ts';
import { resourceQueries } from '../../graphql/kit/queries.ts';
import { readsOf } from '../../storage/objects/collections.ts';

/** Read-only: they are written beside the trail, by `chain/chaining-store.ts`. */
const auditCheckpoints = readsOf('AuditCheckpoint');

const AuditCheckpoint = builder.prismaNode('AuditCheckpoint', {
  id: { field: 'id' },
  nullable: true,
  fields: (t) => ({
    uri: t.string({
      description: 'URL of the checkpoint in the REST API.',
      ...ofColumns('id'),
      resolve: ({ id }, _args, context) => uriOf(context, id),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    accountId: t.exposeID('accountId', { description: 'The account whose trail it states.' }),
    number: t.exposeInt('number'),
    size: t.exposeInt('size'),
    digest: t.exposeString('digest'),
    head: t.exposeString('head'),
    signature: t.exposeString('signature'),
    publicKey: t.exposeString('publicKey'),
  }),
});

resourceQueries('AuditCheckpoint', AuditCheckpoint, auditCheckpoints, {
  one: { name: 'auditCheckpoint', noun: 'audit checkpoint' },
  list: { name: 'auditCheckpoints', description: 'The signed checkpoints of the audit trail, newest first.' },
});
