// How much one request may ask for. No honest dashboard meets these; they bound what a hostile document can cost.

/** Largest page of a list. */
export const pageSizeMax = 100;
/** Size of a list inside of an object, when none is asked for. */
export const innerListSizeDefault = 50;
/** Most tokens in a GraphQL document. Reading stops there, so that a huge document costs no more than this one. */
export const documentTokensMax = 2_000;
/** Most comments in a GraphQL document, which are not tokens but cost as much. */
export const documentCommentsMax = 500;
/** Most lines in a GraphQL document, more than it has tokens: a text of many lines in it costs for each of them. */
export const documentLinesMax = 3_000;
/** Most places in a GraphQL document that a fragment is spread in. */
export const fragmentSpreadsMax = 100;
/** Longest name in a GraphQL document, aliases included: a name comes back in every object of a list, and in errors. */
export const nameCharactersMax = 255;
/**
 * Most lines in a document whose errors say where they stand. To find that, all lines before are looked through, for each error:
 * 150 errors behind 3,000 lines took 100 ms (measured).
 */
export const locatedLinesMax = 1_000;
/** Deepest nesting of fields: what the introspection query of tools needs, which follows nine levels of `ofType`. */
export const queryDepthMax = 16;
/** Most fields in a document, and in one operation with its fragments written out; aliases count like fields. */
export const queryFieldsMax = 500;
/**
 * Highest cost of an operation, estimated before it is executed: a field of the answer costs 1, and text that may be long
 * one more for every `textUnitBytes`. Lists whose length the document does not say count at their usual one.
 */
export const queryCostMax = 150_000;
/** Most fields that an answer may really have: what takes 15 to 30 ms to make (measured). */
export const answerFieldsMax = 16_000;
/** Most objects that the lists of a document may ask for together, nested lists aside: ten whole pages. */
export const listedObjectsMax = 1_000;
/** How many of them a look-up of one object by its id counts for: it takes a statement of its own. */
export const objectsOfLookup = 20;
/** Bytes of text for which an answer may have one field more: a page of a hundred edges with all their rules is an honest one. */
export const textBytesOfField = 256;
/** Cost of a list that is read for each object, whatever is in it. */
export const innerListCost = 8;
/** Bytes of text that cost as much as a field does: about what reading and writing them takes (measured). */
export const textUnitBytes = 512;
/** Cost of reading a row, on top of the fields that are answered of it. */
export const rowCost = 4;
/** Cost of counting a list, of which only the number is answered. */
export const countCost = 200;
/** Cost of looking through a list for what expires before a moment: most of it may not. */
export const searchCost = 500;
/**
 * Cost of reading all rules of an IP policy and compiling them, or checking what is suggested: 5 to 8 ms for 1,000, the most (medians of
 * twelve). Each is a slice of its own.
 */
export const wholePolicyCost = 3_000;
/** Cost of filling in the configuration of a proxy: its files are written anew for each that is asked for. */
export const proxyConfigurationCost = 500;
/** Cost of looking through a list inside of an object for what a filter wants, in the place of `innerListCost`. */
export const filteredListCost = 50;
/** Cost of the history of an object, in the place of `innerListCost`: those of a hundred objects are a large answer. */
export const historyCost = 50;
/** Gives the cost of a page of rows: to read them whole, and what is answered of each. */
export function pagePrice(length: number) {
  return { field: 1 + length * rowCost, multiplier: length };
}
/** Cost of an operation up to which it never waits for another one: a page of forty objects. */
export const smallOperationCost = 500;
/** Cost of an operation from which on it waits for its turn among the large ones (see `admission.ts`). */
export const largeOperationCost = 5_000;
/** Cost of an operation that takes one unit more of the rate limit of its key, beside one for each field at the top. */
export const unitCost = 5_000;
/** Most requests that an account, or a network without a key, has under way at once: as many may wait to be read, or for a page. */
export const requestsUnderwayMax = 1_000;
/** Largest body of a request in bytes that does not wait for such a turn: to check what may be in it takes some 2 ms. */
export const smallBodyBytesMax = 8_192;
/** Bytes of the largest answer, in JSON: a page of a hundred edges with all that their modules may hold has 55 MB. */
export const answerBytesMax = 67_108_864;
/** Most bytes of text in the rows that are read for one answer, whether or not the answer shows them. */
export const readBytesMax = 67_108_864;
/** Most errors in one answer; those that follow are left out. */
export const errorsMax = 50;
/** Longest message of an error, in characters. */
export const messageCharactersMax = 1_000;
