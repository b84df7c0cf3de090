// Lazily loaded components, so that the first page does not wait for code that few users need.

import { type ComponentType, useEffect, useRef, useState } from 'react';
import { whenReachable } from '../client/reachable.ts';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';
import { say } from './toast.tsx';
import { isAnythingEntered } from './unsaved.ts';

/** A component whose code is loaded when it is first rendered. */
export type Later<P> = ComponentType<P> & {
  /** Starts to load the code before the component is rendered. */
  load(): void;
};

/**
 * Creates a component from a lazily loaded module.
 *
 * Does not use `lazy` with `Suspense`: React shows nothing within 300 ms of the placeholder (`FALLBACK_THROTTLE_MS` in its
 * reconciler), which delayed every first visit to a page, and a module that cannot be loaded would take down the whole page.
 *
 * @param Placeholder shown until the code has loaded
 * @param Failed shown if the code cannot be loaded
 */
export function later<P extends object>(
  load: () => Promise<{ readonly default: ComponentType<P> }>,
  Placeholder: ComponentType<P> = Nothing,
  Failed: ComponentType<P> = Unloaded,
): Later<P> {
  let part: ComponentType<P> | null = null;
  let loading: Promise<boolean> | null = null;
  /** Loads the code once, and again after a failure. Returns whether it could be loaded. */
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

/** Milliseconds after which the page may be loaded anew by itself: one that fails as soon as it is loaded would do so forever. */
const freshMs = 10_000;

/** Loads the whole page anew, because a browser may remember that a module could not be loaded: by itself if nothing is lost by it. */
function Unloaded() {
  useEffect(
    () =>
      whenReachable(() => {
        if (performance.now() > freshMs && !isAnythingEntered()) location.reload();
      }),
    [],
  );
  return (
    <Notice tone="bad" actions={<Button onPress={() => location.reload()}>Load the page anew</Button>}>
      {unloaded}
    </Notice>
  );
}

/** An overlay that closes itself by calling `close`, such as a dialog. */
export interface Closable {
  readonly close: () => void;
}

/** Creates an overlay, such as a menu, from a lazily loaded module. If it cannot be loaded, it closes itself and says why. */
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
