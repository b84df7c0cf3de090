// The relations of the models, from Prisma's own description of them.

import { getDatamodel } from '../generated/pothos.ts';

/** The related models of each model, by the name of the relation. */
export const relationsOf: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(getDatamodel().datamodel.models).map(([model, { fields }]) => {
    const relations = fields.flatMap(({ kind, name, type }) => (kind === 'object' ? [[name, type] as const] : []));
    return [model, new Map(relations)];
  }),
);
