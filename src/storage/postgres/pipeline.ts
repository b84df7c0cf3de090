// Statements that are sent together and stored together, in one round trip. All statements before one Sync are one transaction, of
// which nothing remains if a statement fails (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING);
// the driver would end each statement with a Sync.

import pg from 'pg';
import { isLost, PipelineError } from './errors.ts';
import { parserOf } from './values.ts';

export interface Step {
  /** Writes the statement, if the connection does not have it yet. */
  readonly text: () => string;
  /** The name under which the connection keeps the statement; undefined if it is prepared for this time only. */
  readonly name: string | undefined;
  readonly values: readonly (string | Buffer | null)[];
}

/** Parses the texts of a row: the parsers of the columns that are not text, by their indexes. */
type Parsers = readonly (readonly [column: number, parse: (text: string) => unknown])[];

/** The statements that are prepared on a connection: by name, how their rows are parsed; null until that is known. */
export type Prepared = Map<string, Parsers | null>;

/**
 * Sends statements over a connection, and returns the rows of each.
 *
 * @param timeoutMs how long the answer to all of them may take, in milliseconds
 * @throws PipelineError
 */
export function sendPipeline(
  client: pg.ClientBase,
  prepared: Prepared,
  steps: readonly Step[],
  timeoutMs: number,
): Promise<unknown[][][]> {
  return new Promise((resolve, reject) => {
    const pipeline = new Pipeline(prepared, steps, timeoutMs, (error) => {
      if (error === null) resolve(pipeline.results());
      else reject(pipeline.failure(error));
    });
    client.query(pipeline);
  });
}

/** The pipeline as a query of the driver: it receives what the server sends from the first statement to the Sync. */
class Pipeline extends pg.Query {
  /** Also called by the driver, if the connection ends or an answer takes too long. */
  callback: (error: Error | null) => void;
  /** As the driver calls it. */
  readonly query_timeout: number;
  readonly #prepared: Prepared;
  readonly #steps: readonly Step[];
  readonly #parsers: (Parsers | null)[];
  readonly #rows: unknown[][][];
  /** Names of the statements that this pipeline prepares. */
  readonly #fresh: string[] = [];
  #isSent = false;
  #completed = 0;

  constructor(prepared: Prepared, steps: readonly Step[], timeoutMs: number, callback: (error: Error | null) => void) {
    super('');
    this.callback = callback;
    this.query_timeout = timeoutMs;
    this.#prepared = prepared;
    this.#steps = steps;
    this.#parsers = steps.map(() => null);
    this.#rows = steps.map(() => []);
  }

  override submit = (connection: pg.Connection): void => {
    const { stream } = connection;
    this.#isSent = true;
    stream.cork();
    for (const [index, step] of this.#steps.entries()) this.#send(connection, step, index);
    connection.sync();
    stream.uncork();
  };

  #send(connection: pg.Connection, { name, text, values }: Step, index: number): void {
    const known = name === undefined ? undefined : this.#prepared.get(name);
    const statement = name ?? '';
    if (known === undefined) {
      if (name !== undefined) {
        // After a failed pipeline, it is unknown which of its statements were prepared. Closing one that was not does no harm.
        connection.close({ type: 'S', name }, true);
        this.#prepared.set(name, null);
        this.#fresh.push(name);
      }
      connection.parse({ name: statement, text: text(), types: [] }, true);
    }
    connection.bind({ statement, values: [...values] }, true);
    // The rows of a prepared statement have the same columns each time, or it fails (0A000).
    if (known == null) connection.describe({ type: 'P' }, true);
    else this.#parsers[index] = known;
    connection.execute({}, true);
  }

  handleRowDescription({ fields }: { readonly fields: readonly { readonly dataTypeID: number }[] }): void {
    const parsers = fields.flatMap(({ dataTypeID }, index) => {
      const parse = parserOf(dataTypeID);
      return parse === undefined ? [] : [[index, parse] as const];
    });
    this.#parsers[this.#completed] = parsers;
    const name = this.#steps[this.#completed]?.name;
    if (name !== undefined) this.#prepared.set(name, parsers);
  }

  handleDataRow({ fields }: { readonly fields: unknown[] }): void {
    for (const [column, parse] of this.#parsers[this.#completed] ?? []) {
      const text = fields[column];
      if (typeof text === 'string') fields[column] = parse(text);
    }
    this.#rows[this.#completed]?.push(fields);
  }

  handleCommandComplete(): void {
    this.#completed += 1;
  }

  handleReadyForQuery(): void {
    this.callback(null);
  }

  handleError(error: Error): void {
    for (const name of this.#fresh) this.#prepared.delete(name);
    this.callback(error);
  }

  /** Returns the values of the rows of each statement. */
  results(): unknown[][][] {
    return this.#rows;
  }

  /**
   * Returns what a failure means. An error that the server sends before it has answered all statements comes before its commit,
   * even if it ends the session.
   */
  failure(error: Error): PipelineError {
    const isSaid = error instanceof pg.DatabaseError;
    const isBeforeCommit = isSaid && this.#completed < this.#steps.length;
    const isRefusedCommit = isSaid && !isLost(error);
    return new PipelineError(error, this.#isSent && !isBeforeCommit && !isRefusedCommit);
  }
}

/**
 * Has the server fail a statement that finds fewer rows than it must, as `isUnfound` recognizes it: the next statement is executed
 * before anybody has looked at the answer to this one.
 */
export function findingRows(sql: string, least: number): string {
  return `WITH "changed" AS (${sql}) SELECT "changed".* FROM (SELECT 1 / least(count(*) / ${least}, 1) AS "one" FROM "changed") AS "found"
    LEFT JOIN "changed" ON true WHERE "found"."one" = 1`;
}
