// The schema: what the areas add, and what belongs to none.

import { isInterfaceType } from 'graphql';
import { loadParts } from '../areas/parts.ts';
// First: the areas use it too, so that bundled programs load it before what belongs to none.
import './kit/search-query.ts';
import './kit/activity.ts';
import './kit/attention-query.ts';
import { builder } from './kit/builder.ts';
import './kit/nodes.ts';
import './kit/scalars.ts';
import './kit/service.ts';
import { wrapFields } from './wrappers/wrappers.ts';

await loadParts('schema');

/** The schema that both surfaces execute against, in source order. */
export const schema = builder.toSchema({ sortSchema: false });

// The Relay plugin resolves the id of a node asynchronously. The promise for each object of a list costs more than its other
// fields. Our ids are the ids of the rows, and need no resolver.
const node = schema.getType('Node');
for (const type of isInterfaceType(node) ? schema.getPossibleTypes(node) : []) delete type.getFields().id?.resolve;

wrapFields(schema);
