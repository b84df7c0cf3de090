// Parts that are loaded when they are first needed, so that the first page does not wait for what few need.

import { type ComponentType, useEffect, useRef, useState } from 'react';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';
import { say } from './toast.tsx';

/** A component whose code arrives when it is first drawn. */
export type Later<P> = ComponentType<P> & {
  /** Begins to load it before it is drawn. */
  load(): void;
};

/**
 * Makes a component of a module that is loaded later.
 *
 * Not by `lazy` within `Suspense`: of what was waited for, React shows nothing within 300 ms of the placeholder (`FALLBACK_THROTTLE_MS` of
 * its reconciler), by which every first visit to a page was longer; and a module that cannot be loaded would take the whole page with it.
 *
 * @param Placeholder what is shown until it is there
 * @param Failed what is shown where it cannot be loaded
 */
export function later<P extends object>(
  load: () => Promise<{ readonly default: ComponentType<P> }>,
  Placeholder: ComponentType<P> = Nothing,
  Failed: ComponentType<P> = Unloaded,
): Later<P> {
  let part: ComponentType<P> | null = null;
  let loading: Promise<boolean> | null = null;
  /** Tells whether it could be loaded. */
  const begin = () => {
    loading ??= load().then(
      (module) => {
        part = module.default;
        return true;
      },
      () => {
        loading = null;
        return false;
      },
    );
    return loading;
  };
  const Part = (props: P) => {
    const [state, setState] = useState<'loading' | 'loaded' | 'failed'>(part === null ? 'loading' : 'loaded');
    useEffect(() => {
      let isHere = true;
      void begin().then((isLoaded) => isHere && setState(isLoaded ? 'loaded' : 'failed'));
      return () => {
        isHere = false;
      };
    }, []);
    if (state === 'failed') return <Failed {...props} />;
    const Loaded = part;
    return Loaded === null ? <Placeholder {...props} /> : <Loaded {...props} />;
  };
  return Object.assign(Part, { load: () => void begin() });
}

const Nothing = () => null;

const unloaded =
  'This part of the dashboard could not be loaded: the server cannot be reached, or has another version by now.';

/** A browser may remember that a module could not be loaded: only the page as a whole can be tried again. */
function Unloaded() {
  return (
    <Notice tone="bad" actions={<Button onPress={() => location.reload()}>Load the page anew</Button>}>
      {unloaded}
    </Notice>
  );
}

/** What lies above the page and is closed by whoever is done with it, such as a dialog. */
export interface Closable {
  readonly close: () => void;
}

/** Makes something above the page, such as a menu, of a module that is loaded later. One that cannot be loaded closes itself, and says why. */
export function laterAbove<P extends Closable>(load: () => Promise<{ readonly default: ComponentType<P> }>): Later<P> {
  return later(load, Nothing, Unopened);
}

function Unopened({ close }: Closable) {
  const closing = useRef(close);
  useEffect(() => {
    say(`${unloaded} Load the page anew to try again.`);
    closing.current();
  }, []);
  return null;
}
