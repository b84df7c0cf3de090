// Unsaved input: asks for confirmation before the user leaves it.

import { shut } from './door.ts';

/** Number of forms with unsaved changes. */
let unsaved = 0;

/** Records that a form has unsaved changes. Returns a function that ends it. */
export function holdUnsaved(): () => void {
  const ask = (event: BeforeUnloadEvent) => event.preventDefault();
  window.addEventListener('beforeunload', ask);
  unsaved += 1;
  return () => {
    window.removeEventListener('beforeunload', ask);
    unsaved -= 1;
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
export const isAnythingEntered = () => unsaved + entered > 0;

/** Returns whether the page may be left; asks the user if a form has unsaved changes. */
export function mayLeave(): boolean {
  return unsaved === 0 || window.confirm('What you have entered here is not saved. Leave it?');
}

/** The used part of the Navigation API's `navigate` event, which TypeScript 5.9 does not declare yet. */
interface NavigateEvent extends Event {
  readonly navigationType: 'push' | 'replace' | 'reload' | 'traverse';
  readonly destination: { readonly sameDocument: boolean };
}

/**
 * Makes "back" and "forward" ask as well, except at the door, where they leave nothing. Links ask by themselves, and the browser
 * asks before it leaves the document (`beforeunload`). Without the Navigation API, "back" and "forward" do not ask
 * (https://html.spec.whatwg.org/multipage/nav-history-apis.html#navigation-api).
 */
export function askOnTraversal(): void {
  if (!('navigation' in window) || !(window.navigation instanceof EventTarget)) return;
  window.navigation.addEventListener('navigate', (event) => {
    // `navigate` events are always of this type.
    const { navigationType, destination, cancelable } = event as NavigateEvent;
    if (shut.get() || navigationType !== 'traverse' || !destination.sameDocument || !cancelable) return;
    if (!mayLeave()) event.preventDefault();
  });
}
