// Large answers are made in slices, with an event loop turn for everything else between two slices. Accounts with waiting answers
// take turns, so that a large answer of one account waits for one slice of another, not for all of its answers.

/** Cost of the work in one turn of the event loop: about 3 ms (measured: a field of an answer takes 0.6 to 1 us). */
const sliceCost = 3_000;
/** Cost from which a piece waits as soon as the slice is full. Smaller pieces wait only when twice as much has been done. */
const pieceCost = 100;

// Global, because all requests of the process share one event loop.
let spentInTurn = 0;
let scheduled = false;

/** The waiting pieces of an account, first come, first served. */
interface Line {
  readonly pieces: Piece[];
  /** How many of them are done. Removing each from the front of a long list would cost more than most pieces. */
  done: number;
}

interface Piece {
  readonly cost: number;
  readonly run: () => void;
}

const donePieces = 1_000;

/** In turn order: an account that has just had a turn moves to the end. */
const waiting = new Map<string, Line>();

/** Notes work done in this turn of the event loop, in units of cost. */
export function noteWork(cost: number): void {
  spentInTurn += cost;
  schedule();
}

/** Returns whether enough has been done in this turn that a piece of a large answer should wait for a later one. */
export function isTurnSpent(cost: number): boolean {
  return spentInTurn > (cost < pieceCost ? 2 * sliceCost : sliceCost);
}

/**
 * Does a piece of work in a later turn of the event loop. Rejects if the work fails.
 *
 * @param cost of the work and everything that it triggers, noted for the turn in which the work is done
 */
export function inLaterTurn<T>(account: string, cost: number, work: () => T | Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const run = () => {
      try {
        resolve(work());
      } catch (error) {
        reject(error);
      }
    };
    const piece = { cost, run };
    const line = waiting.get(account);
    if (line === undefined) waiting.set(account, { pieces: [piece], done: 0 });
    else line.pieces.push(piece);
    schedule();
  });
}

function schedule(): void {
  if (scheduled) return;
  scheduled = true;
  setImmediate(runSlice);
}

function runSlice(): void {
  scheduled = false;
  spentInTurn = 0;
  for (const [account, line] of waiting) {
    if (spentInTurn > sliceCost) break;
    // A deleted and re-added entry moves to the end, so this loop cycles through the accounts until the slice is full.
    waiting.delete(account);
    const piece = line.pieces[line.done];
    line.done += 1;
    if (line.done >= donePieces) {
      line.pieces.splice(0, line.done);
      line.done = 0;
    }
    if (line.done < line.pieces.length) waiting.set(account, line);
    // Even a piece without a cost takes some time.
    spentInTurn += 1 + (piece?.cost ?? 0);
    piece?.run();
  }
  // Even if nothing is waiting: resets `spentInTurn` for the next turn.
  if (spentInTurn > 0) schedule();
}
