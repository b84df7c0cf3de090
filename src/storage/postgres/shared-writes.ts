// Changes of many requests in one transaction: what comes together is sent together, in one round trip and with one commit, and fails
// alone all the same. Most of what a small change costs is its messages and its commit.

import type { SqlQuery } from '@prisma/driver-adapter-utils';
import { changedRow, MissingRowError } from '../row-changer.ts';
import type { Connections, Guarded } from './connections.ts';
import { isOfCircumstances, isUnfound, PipelineError, toDriverError, unknownOutcomeError } from './errors.ts';

/** Most changes that share a transaction, and most statements of one that does: locks are held until the last has been executed. */
const sharedMax = 32;
const sharedStatementsMax = 8;

/** A change that waits for the transaction before it. */
interface Waiting {
  readonly statements: readonly SqlQuery[];
  readonly resolve: (rows: unknown[][]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Stores changes of one row or a few. While a transaction is under way, the next one gathers. One that fails is undone, and each of
 * its changes but the one to blame is sent again, by itself: so are those that would wait for a lock that somebody else holds for
 * long, behind which the others need not wait.
 */
export class SharedWrites {
  readonly #connections: Connections;
  #waiting: Waiting[] = [];
  #isUnderWay = false;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** Executes statements as `RowChanger.changeRows` says. */
  change(statements: readonly SqlQuery[], isRepeated: boolean): Promise<unknown[][]> {
    const isShared = this.#connections.sharesWrites && !isRepeated && statements.length <= sharedStatementsMax;
    if (!isShared) return this.#changeAlone(statements);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ statements, resolve, reject });
      if (!this.#isUnderWay) {
        this.#isUnderWay = true;
        // After the input of this turn of the event loop: what arrives together goes together.
        setImmediate(() => this.#sendWaiting());
      }
    });
  }

  async #sendWaiting(): Promise<void> {
    while (this.#waiting.length > 0) await this.#sendShared(this.#waiting.splice(0, sharedMax));
    this.#isUnderWay = false;
  }

  async #sendShared(changes: readonly Waiting[]): Promise<void> {
    let rows: unknown[][][];
    try {
      rows = await this.#connections.sendShared(changes.flatMap(({ statements }) => guarded(statements)));
    } catch (error) {
      this.#sendAgain(changes, error);
      return;
    }
    let place = 0;
    for (const { statements, resolve, reject } of changes) {
      const own = rows.slice(place, place + statements.length).flatMap(([row]) => (row === undefined ? [] : [row]));
      place += statements.length;
      if (own.length === statements.length) resolve(own);
      else reject(new MissingRowError());
    }
  }

  /** Sends each of the changes of a transaction that has failed by itself, except the one that is to blame. */
  #sendAgain(changes: readonly Waiting[], error: unknown): void {
    const failure = error instanceof PipelineError && !error.isUncertain ? error : null;
    let place = failure?.place ?? 0;
    for (const { statements, resolve, reject } of changes) {
      const isToBlame = place >= 0 && place < statements.length && !isOfCircumstances(failure?.cause);
      place -= statements.length;
      if (failure === null || isToBlame) reject(explained(error));
      else this.#changeAlone(statements).then(resolve, reject);
    }
  }

  async #changeAlone(statements: readonly SqlQuery[]): Promise<unknown[][]> {
    if (statements.length === 0) return [];
    const sent = this.#connections.sendTogether(guarded(statements)).catch((error: unknown) => {
      throw explained(error);
    });
    return (await sent).map((rows) => changedRow({ rows }));
  }
}

/** Has statements fail that find no row, where others are stored with them. A new row is always there. */
function guarded(statements: readonly SqlQuery[]): Guarded[] {
  return statements.map((query) => ({ query, mustFind: statements.length > 1 && !newRow.test(query.sql) }));
}

const newRow = /^INSERT INTO [^(]+ (?:\([^)]*\) )?VALUES /;

/** Gives the error of a change for that of its pipeline. */
function explained(error: unknown): unknown {
  if (!(error instanceof PipelineError)) return toDriverError(error);
  if (error.isUncertain) return unknownOutcomeError(error.cause);
  return isUnfound(error.cause) ? new MissingRowError() : toDriverError(error.cause);
}
