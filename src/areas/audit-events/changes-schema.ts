// A subscription to new events of the audit trail, each delivered once its change is made.

import { invalid } from '../../domain/errors.ts';
import { kindOfId } from '../../domain/values/ids.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { needsTo } from '../../graphql/wrappers/rights.ts';
import { AuditEvent, checkKind } from './event-schema.ts';

/** Maximum number of kinds, and of ids, that a stream can be filtered by. */
const followedMax = 100;

builder.subscriptionFields((t) => ({
  changes: t.field({
    type: AuditEvent,
    description:
      'Every event of the audit trail, exactly once and in commit order: changes of the objects of the account, and refused ' +
      'requests (kind `Request`). Starts with the next event, or continues after a given one: EVENT_GONE if events since then ' +
      'may have been deleted.',
    extensions: needsTo('read', 'AuditEvent'),
    args: {
      after: t.arg.id({ description: 'Identifier of the last event that the client received.' }),
      kinds: t.arg.stringList({
        description:
          'Only events of objects of these kinds, such as `IpPolicy`: names of types, or `Request` for requests that were refused.',
        extensions: { jsonSchema: { minItems: 1, maxItems: followedMax } },
      }),
      ids: t.arg.idList({
        description: 'Only events of these objects.',
        extensions: { jsonSchema: { minItems: 1, maxItems: followedMax } },
      }),
    },
    subscribe: (_root, { after, kinds, ids }, { scope }) => {
      checkChoice('kinds', kinds, checkKind);
      checkChoice('ids', ids, (field, id) => {
        if (kindOfId(id) === null) throw invalid(field, 'must be the identifier of an object.');
      });
      // Sets, because every event is checked for every stream.
      const [wantedKinds, wantedIds] = [kinds == null ? null : new Set(kinds), ids == null ? null : new Set(ids)];
      return scope.follow({
        after: after ?? null,
        wants: ({ kind, objectId }) => (wantedKinds?.has(kind) ?? true) && (wantedIds?.has(objectId) ?? true),
      });
    },
    resolve: (event) => event,
  }),
}));

/** Checks a filter of a stream. Throws INVALID_INPUT. */
function checkChoice(
  field: string,
  chosen: readonly string[] | null | undefined,
  check: (field: string, item: string) => void,
): void {
  if (chosen?.length === 0) throw invalid(field, 'must not be empty: leave it out to follow everything.');
  for (const [index, item] of chosen?.entries() ?? []) check(`${field}[${index}]`, item);
}
