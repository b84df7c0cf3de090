// Trying again by itself: what could not be loaded is loaded once the server or the network is back.

import type { Problem } from './problem.ts';
import { serverUrl } from './server.ts';

/** Codes of problems that pass by themselves. */
const passing: readonly string[] = ['UNREACHABLE', 'UNAVAILABLE', 'TOO_MANY_REQUESTS'];

/** Returns whether a problem may be gone a little later. */
export const isPassing = ({ code }: Pick<Problem, 'code'>): boolean => passing.includes(code);

/** Milliseconds between tries: doubled after each, up to the longest. */
const firstPauseMs = 1_000;
const longestPauseMs = 15_000;

/**
 * Tries something again after a pause, and at once when the network is back. Returns a function that ends it.
 *
 * @param failures number of times that it has failed in a row
 */
export function tryLater(failures: number, run: () => void): () => void {
  const timer = setTimeout(run, Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs));
  const online = () => run();
  window.addEventListener('online', online);
  return () => {
    clearTimeout(timer);
    window.removeEventListener('online', online);
  };
}

/** Calls back once the server answers. Returns a function that ends the wait. */
export function whenReachable(back: () => void): () => void {
  let failures = 0;
  let end: () => void;
  const wait = () => {
    failures += 1;
    end = tryLater(failures, () => {
      end();
      void fetch(`${serverUrl}/healthz`).then(
        ({ ok }) => (ok ? back() : wait()),
        () => wait(),
      );
    });
  };
  wait();
  return () => end();
}
