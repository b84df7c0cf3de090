// Limits on one request. No honest dashboard reaches them; they bound the cost of a hostile document.

/** Largest page of a list. */
export const pageSizeMax = 100;
export const innerListSizeDefault = 50;
/** Most tokens in a GraphQL document. The parser stops there, so a larger document costs no more than one of this size. */
export const documentTokensMax = 2_000;
/** Most comments in a GraphQL document. They do not count as tokens, but cost as much. */
export const documentCommentsMax = 500;
/** Most lines in a GraphQL document, more than it may have tokens: each line of a multi-line string has a cost. */
export const documentLinesMax = 3_000;
/** Most fragment spreads in a GraphQL document. */
export const fragmentSpreadsMax = 100;
/**
 * Most comparisons of fields that select the same thing twice, with which GraphQL (section 5.3.2) finds conflicts: 125 equal fields
 * have 7,875. They take 10 ms (measured).
 */
export const fieldComparisonsMax = 8_000;
/** Longest name in a GraphQL document, including aliases: a name is repeated in every object of a list, and in errors. */
export const nameCharactersMax = 255;
/**
 * Most lines in a document whose errors have locations. Computing a location scans all lines before it, for each error: 150 errors
 * after 3,000 lines took 100 ms (measured).
 */
export const locatedLinesMax = 1_000;
/** Deepest nesting of fields: as deep as the introspection query of tools, which follows nine levels of `ofType`. */
export const queryDepthMax = 16;
/** Most fields in a document, and in one operation with its fragments expanded. Each alias counts as a field. */
export const queryFieldsMax = 500;
/**
 * Highest estimated cost of an operation. A field of the answer costs 1, and text that may be long costs 1 more for every
 * `textUnitBytes`. Lists without a length in the document count with their usual length.
 */
export const queryCostMax = 150_000;
/** Most fields that an answer may actually have: they take 15 to 30 ms to make (measured). */
export const answerFieldsMax = 16_000;
/** Most objects that the lists of a document may ask for in total, not counting nested lists: ten full pages. */
export const listedObjectsMax = 1_000;
/** How many of these objects a lookup by id counts as: it takes a separate statement. */
export const objectsOfLookup = 20;
/** Bytes of text for which an answer may have one more field: an honest client may ask for a hundred edges with all their rules. */
export const textBytesOfField = 256;
/** Cost of reading a list inside an object, on top of its contents. */
export const innerListCost = 8;
/** Bytes of text that cost as much as one field: about as long as reading and writing them takes (measured). */
export const textUnitBytes = 512;
/** Cost of reading a row, on top of the fields that the answer shows of it. */
export const rowCost = 4;
export const countCost = 200;
/** Cost of scanning a list for objects that expire before a certain time: most of them may not. */
export const searchCost = 500;
/**
 * Cost of reading all rules of an IP policy and compiling them, or checking proposed ones: 5 to 8 ms for the maximum of 1,000 rules
 * (medians of twelve). Each policy is a separate slice.
 */
export const wholePolicyCost = 3_000;
/**
 * Cost of each object that a change creates or deletes together with others: 45 us with its event on SQLite, and as much of this
 * process and of PostgreSQL (measured with 1,000 rules).
 */
export const changedObjectCost = 50;
/** Cost of filling in the configuration of a proxy, whose files are generated each time they are asked for. */
export const proxyConfigurationCost = 500;
/** Cost of filtering a list inside an object, instead of `innerListCost`. */
export const filteredListCost = 50;
/** Cost of the history of an object, instead of `innerListCost`: the histories of a hundred objects are a large answer. */
export const historyCost = 50;
/** Returns the price of a page of rows: reading each row, and a multiplier for the fields selected of it. */
export function pagePrice(length: number) {
  return { field: 1 + length * rowCost, multiplier: length };
}
/** Cost up to which an operation never waits for others: about a page of forty objects. */
export const smallOperationCost = 500;
/** Cost above which an operation waits for its turn among the large ones (see `admission.ts`). */
export const largeOperationCost = 5_000;
/** Cost for which an operation is charged one more unit of the rate limit of its key, besides one for each top-level field. */
export const unitCost = 5_000;
/** Most requests in flight of an account, or of a network without a key. As many may wait to be read, or for a page. */
export const requestsUnderwayMax = 1_000;
/** Size of a request body, in bytes, up to which it is read without waiting for a turn: checking it takes some 2 ms at most. */
export const smallBodyBytesMax = 8_192;
/** Size of the largest answer, in bytes of JSON: a page of a hundred edges with modules as large as possible has 55 MB. */
export const answerBytesMax = 67_108_864;
/** Most bytes of text in the rows read for one answer, whether or not the answer shows it. */
export const readBytesMax = 67_108_864;
/** Entries of an index that take as long to look at as one field of an answer takes to make: 0.14 us each on SQLite (measured). */
export const entriesOfCost = 5;
/** How many entries of an index take as long to look at as a row of a list takes to write: 8 us on SQLite (measured). */
export const entriesOfWrittenRow = 60;
/**
 * Most entries of indexes that the counts and the sifted pages of one document look at; a row that has to be read counts as several
 * (`entriesOfRow`). The trail of a large account has millions of events, and counting them once is an honest question.
 */
export const lookedEntriesMax = 10_000_000;
/** Most errors in one answer; the rest are left out. */
export const errorsMax = 50;
/** Longest message of an error, in characters. */
export const messageCharactersMax = 1_000;
