// The interface of objects that decide what is allowed. What is expected of them is added by the area of expectations.

import { builder, typeOfRow } from './builder.ts';
import { node, Resource } from './resource.ts';

/** The interface of objects that decide about requests, connections or hosts. */
export const Deciding = builder.interfaceRef<{ id: string }>('Deciding').implement({
  description: 'An object that decides what is allowed.',
  resolveType: typeOfRow,
});

/** As `node`, for the type of a kind of objects that decide. */
export const decidingNode = { ...node, interfaces: [Resource, Deciding] as [typeof Resource, typeof Deciding] };
