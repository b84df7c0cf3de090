// Changes of who may come in: what keeps nobody out is made at once; of the rest it is shown first whom it keeps out.

import { type ReactNode, useRef, useState } from 'react';
import type { Problem } from '../client/problem.ts';
import { useCan } from '../client/rights.ts';
import type { IpRestrictionType } from '../client/types.generated.ts';
import { Confirm } from '../kit/dialog.tsx';
import { later } from '../kit/later.tsx';
import { Notice } from '../kit/notice.tsx';
import { type Impact, Impacts, keepsOut } from './impact.tsx';

/** Needed by nobody who comes from an allowed address. */
const AllowYou = later(() => import('./allow-you.tsx'));

/** What a change does: at which restrictions, or that nobody is let in any more; null where that could not be told. */
export type Looked = readonly Impact[] | 'everybody' | null;

/** What is typed by whoever wants to be locked out. */
const deed = 'lock me out';

/** What the question about a change says. */
export interface Question {
  readonly title: string;
  /** What its button says. */
  readonly action: string;
  /** What there is to know besides whom it keeps out. */
  readonly text?: ReactNode;
  /** What to type where a wrong press would hurt. */
  readonly typed?: string | undefined;
  /** The call that it is about to send. */
  readonly call?: ReactNode;
  /** Policies any one of which would let the client in if it allowed its address; none where no policy would. */
  readonly ipPolicyIds?: readonly string[];
  /** What others have changed meanwhile: as long as that is shown, nothing is sent. */
  readonly overtaken?: ReactNode;
}

interface AskProps extends Question {
  readonly impacts: Looked;
  readonly type?: IpRestrictionType | undefined;
  /** Whether the change refuses the client that makes it. */
  readonly locksOut: boolean;
  readonly running: boolean;
  readonly problem: Problem | null;
  /** Looks again at what the change does. */
  readonly lookAgain: () => Promise<void>;
  readonly confirm: () => void;
  readonly close: () => void;
}

/** Shows whom a change keeps out, and asks whether that is meant. */
function Ask({
  text,
  impacts,
  type,
  locksOut,
  typed,
  ipPolicyIds = [],
  overtaken,
  problem,
  lookAgain,
  ...question
}: AskProps) {
  const mayAllow = useCan('ip-policies:write');
  return (
    <Confirm
      // What is typed to be locked out is typed anew.
      key={locksOut ? deed : ''}
      {...question}
      wide={impacts === null || impacts.length > 0}
      typed={locksOut ? deed : typed}
      isReady={!overtaken}
      // The notice below says it at more length.
      problem={problem?.code === 'LOCKOUT' ? null : problem}
    >
      <div className="stack">
        {overtaken}
        {text !== undefined && <div>{text}</div>}
        {locksOut && (
          <Notice tone="bad" title="This locks you out.">
            <div className="stack">
              <p>
                The address that you come from would not be allowed any more. You could not undo it from here: only from
                an allowed address, or on the server with <code>sallyport restrictions suspend</code>.
              </p>
              {mayAllow && ipPolicyIds.length > 0 && <AllowYou ipPolicyIds={ipPolicyIds} allowed={lookAgain} />}
            </div>
          </Notice>
        )}
        {impacts === null && (
          <Notice tone="caution" title="It could not be told whom this keeps out or lets in.">
            There may be too many rules and restrictions to compare, or the server did not answer.
          </Notice>
        )}
        {impacts === 'everybody' && (
          <Notice tone="bad" title="This keeps everybody out.">
            None of its policies exists any more, so it allows no address at all.
          </Notice>
        )}
        {impacts !== null && impacts !== 'everybody' && impacts.length > 0 && <Impacts impacts={impacts} type={type} />}
      </div>
    </Confirm>
  );
}

/** How changes are made. */
interface GuardedOptions<C> {
  /** Looks at what a change does before it is made. */
  readonly look: (change: C) => Promise<Looked>;
  /** Makes it, also if it refuses the client itself where `force` says so. Gives whether it was made. */
  readonly send: (change: C, force: boolean) => Promise<boolean>;
  readonly running: boolean;
  /** Why it was not made. */
  readonly problem: Problem | null;
  readonly clear: () => void;
  /** What the question about a change says. */
  readonly words: (change: C) => Question;
  readonly type?: IpRestrictionType | undefined;
  /** Whether it is asked also where nobody is kept out. */
  readonly alwaysAsks?: boolean;
}

/** Changes that are looked at before they are made. */
export interface Guarded<C> {
  /** Makes a change, after a question where it keeps somebody out. Does nothing as long as another one is pending. */
  attempt(change: C): Promise<void>;
  /** The change that is being made; null if none is. */
  readonly pending: C | null;
  /** What is wrong, where the question does not say it. */
  readonly problem: Problem | null;
  /** The question, to be drawn. */
  readonly question: ReactNode;
}

/** Looks at changes before they are made. */
export function useGuarded<C>(options: GuardedOptions<C>): Guarded<C> {
  const { look, send, running, problem, clear, words, type, alwaysAsks = false } = options;
  const [state, setState] = useState<{ change: C; impacts: Looked; asks: boolean } | null>(null);
  const [ended, setEnded] = useState(true);
  // Not `pending`, which is what was drawn last: two presses may come before it is drawn again.
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
    // Unless it was closed meanwhile.
    setState((now) => (now?.change === change ? { change, impacts, asks: true } : now));
  };
  const isLockout = problem?.code === 'LOCKOUT';
  const isAsking = state !== null && (state.asks || isLockout);
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
        const asks = alwaysAsks || impacts === null || impacts === 'everybody' || impacts.some(keepsOut);
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
        confirm={() => void make(state.change, locksOut)}
      />
    ),
  };
}
