// Kinds of statements, as they are timed.

/**
 * What a statement does; a commit waits for the disk. `wait` is not a statement: it is time spent waiting while another program
 * writes.
 */
export type StatementKind = 'read' | 'write' | 'begin' | 'commit' | 'rollback' | 'wait' | 'other';

const statementKinds: ReadonlyMap<string, StatementKind> = new Map([
  ['SELECT', 'read'],
  ['INSERT', 'write'],
  ['UPDATE', 'write'],
  ['DELETE', 'write'],
  ['BEGIN', 'begin'],
  ['COMMIT', 'commit'],
  ['ROLLBACK', 'rollback'],
]);

/** Returns the kind of a statement by its first word, which costs nothing; a `WITH` counts as `other`. */
export function kindOf(sql: string): StatementKind {
  const end = sql.indexOf(' ');
  return statementKinds.get(end === -1 ? sql : sql.slice(0, end)) ?? 'other';
}

/** Receives the time that a statement took, whether or not it failed. */
export type TimingObserver = (kind: StatementKind, seconds: number) => void;
