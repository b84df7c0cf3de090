// Changes to access. A change that keeps nobody out is made at once; any other first shows whom it would keep out.

import { type ReactNode, useRef, useState } from 'react';
import type { Problem } from '../client/problem.ts';
import type { IpRestrictionType } from '../client/types.generated.ts';
import { laterDialog } from '../kit/dialog.tsx';
import { type Impact, keepsOut } from './impact.tsx';

const Ask = laterDialog(() => import('./ask.tsx'));

/** What a change does at each restriction, or that it keeps everybody out; null if that could not be evaluated. */
export type Looked = readonly Impact[] | 'everybody' | null;

/** Content of the confirmation dialog for a change. */
export interface Question {
  readonly title: string;
  /** Label of the confirming button. */
  readonly action: string;
  /** Anything to know besides whom the change keeps out. */
  readonly text?: ReactNode;
  /** What the user must type, if a wrong press would do harm. */
  readonly typed?: string | undefined;
  /** The API call it is about to send. */
  readonly call?: ReactNode;
  /** Policies in any of which a rule for the client's address would let the client in; empty if no policy would help. */
  readonly ipPolicyIds?: readonly string[];
  /** Writes the command that lets back in whom the change locks out of an account. */
  readonly wayBack?: ((accountId: string) => string) | undefined;
  /** What others have changed meanwhile. While it is shown, nothing is sent. */
  readonly overtaken?: ReactNode;
}

/** Returns whether a change was refused only because of what it breaks, so that it can be forced. */
export const isForceable = (problem: Problem | null) =>
  problem?.code === 'LOCKOUT' || problem?.code === 'EXPECTATION_FAILED';

/** How changes are evaluated and made. */
interface GuardedOptions<C> {
  /** Evaluates a change before it is made. */
  readonly look: (change: C) => Promise<Looked>;
  /** Makes the change, even one that locks out the client itself if `force` is true. Returns whether it was made. */
  readonly send: (change: C, force: boolean) => Promise<boolean>;
  readonly running: boolean;
  /** Why the change was not made. */
  readonly problem: Problem | null;
  readonly clear: () => void;
  /** Returns the content of the confirmation dialog for a change. */
  readonly words: (change: C) => Question;
  readonly type?: IpRestrictionType | undefined;
  /** Returns whether to ask for confirmation of a change even if nobody is kept out. */
  readonly alwaysAsks?: (change: C) => boolean;
}

/** Changes that are evaluated before they are made. */
export interface Guarded<C> {
  /** Makes a change, after a confirmation if it keeps somebody out. A no-op while an earlier call is still running. */
  attempt(change: C): Promise<void>;
  /** The change that is being evaluated, confirmed or made; null if there is none. */
  readonly pending: C | null;
  /** The problem, unless the dialog already shows it. */
  readonly problem: Problem | null;
  /** The confirmation dialog, to be rendered. */
  readonly question: ReactNode;
}

/** Evaluates changes before they are made. */
export function useGuarded<C>(options: GuardedOptions<C>): Guarded<C> {
  const { look, send, running, problem, clear, words, type, alwaysAsks } = options;
  const [state, setState] = useState<{ change: C; impacts: Looked; asks: boolean } | null>(null);
  const [ended, setEnded] = useState(true);
  // A ref rather than `pending`, which is the value of the last render: two presses may come before the next one.
  const isBusy = useRef(false);
  const close = () => {
    setState(null);
    setEnded(true);
    clear();
  };
  const make = async (change: C, force: boolean) => {
    setEnded(false);
    if (await send(change, force)) setState(null);
    setEnded(true);
  };
  const lookAgain = async (change: C) => {
    const impacts = await look(change);
    clear();
    // Unless the dialog was closed meanwhile.
    setState((now) => (now?.change === change ? { change, impacts, asks: true } : now));
  };
  const isLockout = problem?.code === 'LOCKOUT';
  const isAsking = state !== null && (state.asks || isForceable(problem));
  const known = state?.impacts === 'everybody' ? null : state?.impacts;
  const locksOut = isLockout || (known?.some(({ refusesYou }) => refusesYou) ?? false);
  return {
    async attempt(change) {
      if (isBusy.current) return;
      isBusy.current = true;
      clear();
      setEnded(false);
      setState({ change, impacts: [], asks: false });
      try {
        const impacts = await look(change);
        const asks =
          alwaysAsks?.(change) === true || impacts === null || impacts === 'everybody' || impacts.some(keepsOut);
        setState({ change, impacts, asks });
        if (!asks) await make(change, false);
      } finally {
        isBusy.current = false;
      }
    },
    pending: state !== null && (!ended || isAsking) ? state.change : null,
    problem: isAsking ? null : problem,
    question: isAsking && (
      <Ask
        {...words(state.change)}
        impacts={state.impacts}
        type={type}
        locksOut={locksOut}
        running={running}
        problem={problem}
        lookAgain={() => lookAgain(state.change)}
        close={close}
        confirm={() => void make(state.change, locksOut || isForceable(problem))}
      />
    ),
  };
}
