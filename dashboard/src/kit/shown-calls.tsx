// One button for all API calls that a panel or dialog can send: it shows or hides them.

import { createContext, type ReactNode, useCallback, useContext, useLayoutEffect, useMemo, useState } from 'react';
import { Button } from './button.tsx';
import { CodeIcon } from './icons.tsx';

/** The calls within a panel or dialog. */
interface Calls {
  readonly areShown: boolean;
  /** Records that there is a call. Returns a function that ends it. */
  hold(): () => void;
}

const CallsContext = createContext<Calls | null>(null);

/**
 * Returns the button for the head of a panel or dialog, null if there are no calls, and a function that wraps the content with the
 * calls.
 */
export function useShownCalls(): { button: ReactNode; around: (content: ReactNode) => ReactNode } {
  const [count, setCount] = useState(0);
  const [areShown, setShown] = useState(false);
  const hold = useCallback(() => {
    setCount((held) => held + 1);
    return () => setCount((held) => held - 1);
  }, []);
  const calls = useMemo(() => ({ areShown, hold }), [areShown, hold]);
  return {
    button: count > 0 && (
      <Button look="icon" label="Show the call" isPressed={areShown} onPress={() => setShown(!areShown)}>
        <CodeIcon />
      </Button>
    ),
    around: (content) => <CallsContext value={calls}>{content}</CallsContext>,
  };
}

/** Returns whether a call is shown. Throws Error outside of a panel and a dialog, where nothing would show it. */
export function useIsCallShown(): boolean {
  const calls = useContext(CallsContext);
  if (calls === null)
    throw new Error('A call is outside of a panel and a dialog, which have the button that shows it.');
  const { hold, areShown } = calls;
  // Before the first paint, so that the button does not appear late.
  useLayoutEffect(hold, [hold]);
  return areShown;
}
