// What a draft of an account has: its rows as they were and as they are.

import type { Row, Table } from './tables.ts';

/** The rows of a table that a draft may have changed, each under its key as text. */
export interface DraftedTable {
  readonly table: Table;
  readonly before: ReadonlyMap<string, DraftedRow>;
  readonly after: ReadonlyMap<string, DraftedRow>;
  /** Whether the draft has the rows of the account. Otherwise it began without any. */
  readonly isCopied: boolean;
}

/** A row, with its values as text, by which rows are compared. */
export interface DraftedRow {
  readonly row: Row;
  readonly text: string;
}

/** A change of an object in a draft. */
export interface DraftedEvent {
  readonly kind: string;
  readonly objectId: string;
  readonly version: number;
}

/** A copy of what an account has configured. */
export interface Draft {
  /** Reads what the draft and the account have, and the order in which objects were changed in the draft. */
  differences(): Promise<{ readonly tables: readonly DraftedTable[]; readonly events: readonly DraftedEvent[] }>;
  close(): Promise<void>;
}
