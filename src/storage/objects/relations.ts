// The relations of the models, from Prisma's own description of them.

import { getDatamodel } from '../generated/pothos.ts';

/** A relation of a model. */
export interface Relation {
  /** The related model. */
  readonly model: string;
  readonly isList: boolean;
  /** Whether the foreign key is on the other side. */
  readonly isReferredTo: boolean;
}

/** The relations of each model, by name. */
export const relationsOf: ReadonlyMap<string, ReadonlyMap<string, Relation>> = new Map(
  Object.entries(getDatamodel().datamodel.models).map(([model, { fields }]) => {
    const relations = fields.flatMap((field) =>
      field.kind === 'object'
        ? [
            [
              field.name,
              { model: field.type, isList: field.isList, isReferredTo: field.relationFromFields?.length === 0 },
            ] as const,
          ]
        : [],
    );
    return [model, new Map(relations)];
  }),
);

/**
 * Returns the selected relations of a row that is about to be created, if they are known without a read: only rows created with it
 * can refer to it yet. Null if one of the relations has to be read.
 */
export function relationsOfNewRow(model: string, columns: object, selected: readonly string[]): object | null {
  const known: Record<string, [] | null> = {};
  for (const name of selected) {
    const relation = relationsOf.get(model)?.get(name);
    if (relation?.isReferredTo !== true || Object.hasOwn(columns, name)) return null;
    known[name] = relation.isList ? [] : null;
  }
  return known;
}
