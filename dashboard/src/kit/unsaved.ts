// What was entered and not saved: whoever goes elsewhere is asked first.

import { shut } from './door.ts';

/** How many forms hold something that is not saved. */
let unsaved = 0;

/** Notes that a form holds something; the function that it returns, that it does not any more. */
export function holdUnsaved(): () => void {
  const ask = (event: BeforeUnloadEvent) => event.preventDefault();
  window.addEventListener('beforeunload', ask);
  unsaved += 1;
  return () => {
    window.removeEventListener('beforeunload', ask);
    unsaved -= 1;
  };
}

/** How many others hold something that was entered: they are left without a question, but not lost with a session. */
let entered = 0;

/** Notes that something was entered in a dialog, or a line that adds something; the function that it returns, that it is gone. */
export function holdEntered(): () => void {
  entered += 1;
  return () => {
    entered -= 1;
  };
}

/** Tells whether something was entered that is lost with the page. */
export const isAnythingEntered = () => unsaved + entered > 0;

/** Tells whether the page may be left; asks where something would be lost. */
export function mayLeave(): boolean {
  return unsaved === 0 || window.confirm('What you have entered here is not saved. Leave it?');
}

/** What is used of the event by which browsers tell of a navigation; TypeScript 5.9 does not know it yet. */
interface NavigateEvent extends Event {
  readonly navigationType: 'push' | 'replace' | 'reload' | 'traverse';
  readonly destination: { readonly sameDocument: boolean };
}

/**
 * Has "back" and "forward" ask as well, but not at the door, where they leave nothing. Links ask themselves; what leads out of the page is asked about by the browser (`beforeunload`).
 * A browser without the Navigation API goes without asking (https://html.spec.whatwg.org/multipage/nav-history-apis.html#navigation-api).
 */
export function askOnTraversal(): void {
  if (!('navigation' in window) || !(window.navigation instanceof EventTarget)) return;
  window.navigation.addEventListener('navigate', (event) => {
    // The one event of this name.
    const { navigationType, destination, cancelable } = event as NavigateEvent;
    if (shut.get() || navigationType !== 'traverse' || !destination.sameDocument || !cancelable) return;
    if (!mayLeave()) event.preventDefault();
  });
}
