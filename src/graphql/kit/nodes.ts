// Looks up many objects by their ids, with one statement per kind.

import { type Kind, kindOfId } from '../../domain/values/ids.ts';
import { objectsOfLookup, pagePrice, pageSizeMax } from '../../load/limits.ts';
import { hasRows, readsOf } from '../../storage/objects/collections.ts';
import { forEveryKey, refusalOf, requirementTo } from '../wrappers/rights.ts';
import { readRows } from './batch.ts';
import { builder } from './builder.ts';

builder.queryField('nodes', (t) =>
  t.field({
    type: [builder.nodeInterfaceRef()],
    nullable: { list: true, items: true },
    description:
      'Any objects of this account, by their identifiers and in the same order; null for one that does not exist. The key must be allowed ' +
      'to read the area of each object; any other is null, with an error.',
    args: {
      ids: t.arg.idList({
        required: true,
        description: `Identifiers of the objects; at most ${pageSizeMax}.`,
        extensions: { jsonSchema: { maxItems: pageSizeMax } },
      }),
    },
    complexity: ({ ids }) => pagePrice(ids.length),
    extensions: forEveryKey,
    resolve: async (_root, { ids: given }, context) => {
      const ids = given.map(String);
      const kinds = [...new Set(ids.map(kindOfId))].filter((kind) => kind !== null);
      context.budget.expectObjects(ids.length + kinds.length * objectsOfLookup);
      const refusals = new Map<Kind | null, Error>();
      const rows = new Map<string, object>();
      const load = async (kind: Kind) => {
        const refusal = refusalOf(context, requirementTo('read', kind) ?? forEveryKey);
        if (refusal !== null) refusals.set(kind, refusal);
        if (refusal !== null || !hasRows(kind)) return;
        const own = [...new Set(ids.filter((id) => kindOfId(id) === kind))];
        const found = await readRows(readsOf(kind), own, context);
        for (const row of found) if (row !== null) rows.set(row.id, row);
      };
      await Promise.all(kinds.map(load));
      // GraphQL puts null instead of an error in a list (GraphQL, section 6.4.4).
      return ids.map((id) => refusals.get(kindOfId(id)) ?? rows.get(id) ?? null);
    },
  }),
);
