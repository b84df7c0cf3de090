// How much one request may ask for. No honest dashboard meets these; they bound what a hostile document can cost.

/** Largest page of a list. */
export const pageSizeMax = 100;
/** Most tokens in a GraphQL document. Reading stops there, so that a huge document costs no more than this one. */
export const documentTokensMax = 2_000;
/** Deepest nesting of fields. */
export const queryDepthMax = 15;
/** Most fields in one operation, fragments written out; aliases count like fields. */
export const queryFieldsMax = 500;
/** Highest cost: the number of fields answered, with lists counted at the size asked for. */
export const queryCostMax = 50_000;
