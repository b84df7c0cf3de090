// The title of the document: that of the page, with the number of things to do.

import { createStore } from '../client/store.ts';

/** The number of things to do, which the title shows on every page. */
export const thingsToDo = createStore(0);

/** Returns the title of the document for a page. */
export const titleOf = (page: string, todo: number): string => `${todo > 0 ? `(${todo}) ` : ''}${page} · Sallyport`;
