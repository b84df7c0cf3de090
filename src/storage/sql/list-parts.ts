// What a list is asked for: its order, positions in it, and the part between two of them.

/** A page to read: `take` rows with ids between the two bounds, the newest or, backward, the oldest of them. */
export interface PageRequest {
  take: number;
  /** Only ids less than this one, that is, older objects. */
  olderThan: string | undefined;
  /** Only ids greater than this one, that is, newer objects. */
  newerThan: string | undefined;
  /** Takes the rows at the old end of the range instead of the new one. */
  backward: boolean;
  /**
   * If given, the page is in version order, between these two versions and without them: for events of one object. Ids only narrow
   * it then.
   */
  versions?: { readonly olderThan: number | undefined; readonly newerThan: number | undefined } | undefined;
}

/** Bounds on ids, which are not ids themselves. */
export type IdBounds = Partial<Pick<PageRequest, 'olderThan' | 'newerThan'>>;

/** The order of a list. Objects with the same time are in id order. */
export interface RowOrder {
  /** The column with the time, or the version; undefined for the time of creation, with which ids begin. */
  readonly column: string | undefined;
  readonly ascending: boolean;
}

/** A position in a list ordered by a time and then by id, or by version. */
export interface Position {
  /** The time or version; in a list ordered by id alone, it means nothing. */
  readonly value: Date | number;
  readonly id: string;
}

/** A part of a list: the first `take` of its objects between two positions or, backward, the last. */
export interface ListPart<P = Position> {
  readonly take: number;
  readonly backward: boolean;
  readonly after: P | undefined;
  readonly before: P | undefined;
}
