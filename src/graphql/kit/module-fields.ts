// Fields of modules, and those that show a module in its whole: what `t.field` and its like take.

import type { ObjectRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import { tunnelGroupBackends } from '../../storage/objects/backend-references.ts';
import type { RecordModel, Row } from '../../storage/objects/columns.ts';
import { loadModule, type Module } from './batch.ts';
import { namedBy } from './column-fields.ts';
import type { Context } from './context.ts';
import { Ref } from './reference.ts';
import type { SchemaTypes } from './resource.ts';

/** What modules are parts of, by the name that their rows have for it. */
type Whole = 'edge' | 'route';

/** A module in its whole; null if it is not set. */
export const moduleField = <M extends RecordModel, S extends object>(
  type: ObjectRef<SchemaTypes, S>,
  module: Module<M>,
  whole: Whole,
  description: string,
) => ({
  type,
  nullable: true as const,
  description,
  resolve: async (
    object: { readonly id: string; readonly version: number },
    _args: object,
    context: Context,
    info: GraphQLResolveInfo,
  ) => {
    const found: Row<M> | null = await loadModule(module, object, context, info);
    // Safe cast: the columns that the fields of the module show, and its whole.
    return found && ({ ...found, [whole]: object } as unknown as S);
  },
});

/** The version of a module, for `t.int`. */
export const versionOf = <W extends Whole>(whole: W) => ({
  description: `The version of the ${whole}, which also counts changes to its modules.`,
  resolve: (module: Readonly<Record<W, { readonly version: number }>>) => module[whole].version,
});

/** The backend that a module names. */
export const backendOf = (whole: Whole) =>
  namedBy(
    'backendId',
    'TunnelGroupBackend',
    tunnelGroupBackends,
    `The backend chosen for the traffic of the ${whole}.`,
  );

export const backendRef = {
  type: Ref,
  description: 'Reference to the backend, for keys that may not read backends.',
  resolve: ({ backendId }: { readonly backendId: string }) => ({ id: backendId }),
};
