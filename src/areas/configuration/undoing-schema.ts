// Taking back everything that one request has changed, and what that would do. What does it is loaded with the first one, as for
// documents.

import { notFound } from '../../domain/errors.ts';
import { isIdOf } from '../../domain/values/ids.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { changeMutation } from '../../graphql/kit/change-mutation.ts';
import { forceInput } from '../../graphql/kit/resource.ts';
import { answersAgain } from '../../graphql/wrappers/change-once.ts';
import { needs } from '../../graphql/wrappers/rights.ts';
import { queryCostMax } from '../../load/limits.ts';
import type { Undone, UndoPlan } from './undo-schema.ts';

/** All of it is tried out, as for a document. */
const undoCost = queryCostMax / 2;

const objectsText =
  'the last change first: a list of objects with `action` (`create` for what comes back, `update` for what becomes what it was, ' +
  '`delete` for what the request had created, `release` for what it had only given to a document), `kind`, `id` and `name`, by which messages call it.';

const PlannedUndo = builder.objectRef<UndoPlan>('UndoPlan').implement({
  description: 'What taking back the changes of a request would do.',
  fields: (t) => ({
    objects: t.field({
      type: 'JSON',
      description: `What would be undone, ${objectsText}`,
      resolve: ({ objects }) => [...objects],
    }),
    refusals: t.field({
      type: 'JSON',
      description:
        'Why it is refused unless it is forced, such as LOCKOUT: a list of objects with `code` and `message`.',
      resolve: ({ refusals }) => [...refusals],
    }),
  }),
});

const UndoneRequest = builder.objectRef<Undone>('UndoneRequest').implement({
  description: 'A request whose changes were taken back.',
  fields: (t) => ({
    requestId: t.exposeID('requestId', {
      description: 'The request that has undone it, as in the audit trail, by which that can be undone itself.',
    }),
    objects: t.field({
      type: 'JSON',
      description: `What was undone, ${objectsText}`,
      resolve: ({ objects }) => [...objects],
    }),
  }),
});

builder.queryField('planUndo', (t) =>
  t.field({
    type: PlannedUndo,
    nullable: true,
    extensions: { ...needs('audit-events:read'), hasQueue: true },
    complexity: { field: undoCost },
    description:
      'What `undoRequest` would do, without changing anything. Fails as it does with CHANGED_SINCE and NOT_RESTORABLE, which say what is ' +
      'in the way. Needs the same rights.',
    args: {
      requestId: t.arg.id({ required: true, description: 'The request, as its events in the audit trail have it.' }),
    },
    resolve: async (_root, { requestId }, context, info) => {
      if (!isIdOf('Request', requestId)) throw notFound();
      const { planUndo } = await import('./undo-schema.ts');
      return planUndo(context, info.schema, requestId);
    },
  }),
);

changeMutation('undoRequest', {
  extensions: {
    ...needs('audit-events:read'),
    // What was remembered is what was undone.
    ...answersAgain(({ remembered }) => remembered as Undone),
  },
  cost: undoCost,
  description:
    'Takes back everything that one request has changed, such as the application of a document of the configuration: all of it, or ' +
    'nothing. What it created is deleted, what it changed or deleted is what it was, and belongs to the document again that it ' +
    'belonged to. Fails with CHANGED_SINCE if any of it has changed since, and with NOT_RESTORABLE if something cannot come back. ' +
    'Secrets, which the trail does not hold, keep their current values. Also needs write access to the areas of the objects.',
  input: (t) => ({
    requestId: t.id({
      required: true,
      description:
        'The request, as its answer had it in the header X-Request-Id, and as its events in the audit trail have it.',
    }),
    ...forceInput(t),
  }),
  resolve: async ({ requestId, force }, context, info): Promise<Undone> => {
    if (!isIdOf('Request', requestId)) throw notFound();
    const { undoRequest } = await import('./undo-schema.ts');
    return undoRequest(context, info.schema, requestId, force === true);
  },
  answer: (t) => ({
    undone: t.field({ type: UndoneRequest, description: 'What was undone.', resolve: (undone) => undone }),
  }),
});
