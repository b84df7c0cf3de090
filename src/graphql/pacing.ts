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
  readonly pieces: (() => void)[];
  /** How many of them have been done: to take them off the front of a long list would cost more than most pieces. */
  done: number;
}

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

/** Does a piece of work in a later turn of the event loop. Fails as the work does. */
export function inLaterTurn<T>(account: string, work: () => T | Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const piece = () => {
      try {
        resolve(work());
      } catch (error) {
        reject(error);
      }
    };
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
    if (line.done < line.pieces.length) waiting.set(account, line);
    piece?.();
    // Even a piece that costs nothing takes its time.
    spentInTurn += 1;
  }
  if (waiting.size > 0) schedule();
}
