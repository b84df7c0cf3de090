// Unsaved input: asks for confirmation before the user leaves it.

import { createStore } from '../client/store.ts';
import { shut } from './door.ts';

/** The forms with unsaved changes. */
const unsaved = new Set<symbol>();

/** Records that a form has unsaved changes. Returns a function that ends it. */
export function holdUnsaved(): () => void {
  const ask = (event: BeforeUnloadEvent) => event.preventDefault();
  const form = Symbol();
  window.addEventListener('beforeunload', ask);
  unsaved.add(form);
  return () => {
    window.removeEventListener('beforeunload', ask);
    unsaved.delete(form);
  };
}

/** Number of other forms with input, which is left without a confirmation but survives the end of a session. */
let entered = 0;

/** Records that there is input in a dialog or in a row that adds something. Returns a function that ends it. */
export function holdEntered(): () => void {
  entered += 1;
  return () => {
    entered -= 1;
  };
}

/** Returns whether there is any input that would be lost with the page. */
export const isAnythingEntered = () => unsaved.size + entered > 0;

/** What waits until the user confirms that unsaved changes may be lost; null if nothing does. */
export const departure = createStore<(() => void) | null>(null);

/** Leaves input: at once or, if a form has unsaved changes, once the user has confirmed it (`LeaveQuestion`). */
export function leave(go: () => void): void {
  const goOn = () => {
    unsaved.clear();
    go();
  };
  if (unsaved.size === 0) goOn();
  else departure.set(goOn);
}

/** The used parts of the Navigation API, which TypeScript 5.9 does not declare yet. */
interface Navigation extends EventTarget {
  traverseTo(key: string): void;
}
interface NavigateEvent extends Event {
  readonly navigationType: 'push' | 'replace' | 'reload' | 'traverse';
  readonly destination: { readonly sameDocument: boolean; readonly key: string };
}

/**
 * Makes "back" and "forward" ask as well, except at the door, where they leave nothing. Links ask by themselves, and the browser
 * asks before it leaves the document (`beforeunload`). Without the Navigation API, "back" and "forward" do not ask
 * (https://html.spec.whatwg.org/multipage/nav-history-apis.html#navigation-api).
 */
export function askOnTraversal(): void {
  if (!('navigation' in window)) return;
  // Browsers that have it have all of it.
  const navigation = window.navigation as Navigation;
  navigation.addEventListener('navigate', (event) => {
    // `navigate` events are always of this type.
    const { navigationType, destination, cancelable } = event as NavigateEvent;
    if (shut.get() || navigationType !== 'traverse' || !destination.sameDocument || !cancelable) return;
    if (unsaved.size === 0) return;
    event.preventDefault();
    leave(() => navigation.traverseTo(destination.key));
  });
}
