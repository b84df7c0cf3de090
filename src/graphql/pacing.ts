// Large answers are made in slices, with a turn of the event loop for everybody else between two of them. The accounts
// whose answers wait take turns, so that a large answer of one waits for one slice of another, not for all of its answers.

/** Cost of what is done in one turn of the event loop: about 3 ms (measured: a field of an answer takes 0.6 to 1 us). */
const sliceCost = 3_000;
/** Cost of a piece that waits as soon as a slice is full. Smaller ones wait only when twice as much has been done. */
const pieceCost = 100;

// Of the process, because all requests share its one event loop.
let spentInTurn = 0;
let scheduled = false;

/** The pieces of an account that wait, first come, first served. */
interface Line {
  readonly pieces: Piece[];
  /** How many of them have been done: to take each off the front of a long list would cost more than most pieces. */
  done: number;
}

interface Piece {
  readonly cost: number;
  readonly run: () => void;
}

/** Done pieces that are taken off together. */
const donePieces = 1_000;

/** In the order of the turns of the accounts: whoever has had one goes to the end. */
const waiting = new Map<string, Line>();

/** Notes work that is done in this turn of the event loop, in the units of costs. */
export function noteWork(cost: number): void {
  spentInTurn += cost;
  schedule();
}

/** Tells whether so much has been done in this turn that a piece of a large answer should wait for the next. */
export function isTurnSpent(cost: number): boolean {
  return spentInTurn > (cost < pieceCost ? 2 * sliceCost : sliceCost);
}

/**
 * Does a piece of work in a later turn of the event loop. Fails as the work does.
 *
 * @param cost of the work, and of what it sets off, which is noted for the turn in which it is done
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
    // What is set anew comes last, so that this goes round until the slice is full.
    waiting.delete(account);
    const piece = line.pieces[line.done];
    line.done += 1;
    if (line.done >= donePieces) {
      line.pieces.splice(0, line.done);
      line.done = 0;
    }
    if (line.done < line.pieces.length) waiting.set(account, line);
    // Even a piece that costs nothing takes its time.
    spentInTurn += 1 + (piece?.cost ?? 0);
    piece?.run();
  }
  // Also where nothing waits any more: the next turn begins with nothing done.
  if (spentInTurn > 0) schedule();
}
