// How much one request may ask for. No honest dashboard meets these; they bound what a hostile document can cost.

/** Largest page of a list. */
export const pageSizeMax = 100;
/** Size of a list inside of an object, when none is asked for. */
export const innerListSizeDefault = 50;
/** Most tokens in a GraphQL document. Reading stops there, so that a huge document costs no more than this one. */
export const documentTokensMax = 2_000;
/** Deepest nesting of fields. */
export const queryDepthMax = 15;
/** Most fields in one operation, fragments written out; aliases count like fields. */
export const queryFieldsMax = 500;
/**
 * Highest cost: the number of fields answered, with every list counted at the size asked for or, where it has a bound
 * instead, at that.
 */
export const queryCostMax = 150_000;
/** Most objects that an answer may really have in lists whose length is known only once they are read. */
export const loadedObjectsMax = 50_000;
