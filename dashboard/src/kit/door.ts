// The door: the screen shown instead of the dashboard before a user signs in, and once the server no longer lets them in. A
// dashboard with unsaved input stays alive behind it, hidden and inert, and is still there when the door opens again.

import { createStore } from '../client/store.ts';

/** Returns an element of index.html. Throws Error if there is none. */
function elementOf(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`index.html has no element with the id "${id}".`);
  return element;
}

/** The element that holds the door. */
export const door = elementOf('door');
/** The element that holds the dashboard, including overlays such as dialogs. */
export const root = elementOf('root');

/** Where the user was when the door was shut; null if there was no dashboard. */
let before: {
  readonly address: string;
  readonly scrolled: number;
  readonly focused: Element | null;
} | null = null;

/** Whether the door is shut. */
export const shut = createStore(true);

/** Shuts the door. */
export function shutDoor(): void {
  if (shut.get()) return;
  before = { address: location.href, scrolled: window.scrollY, focused: document.activeElement };
  root.hidden = true;
  root.inert = true;
  shut.set(true);
}

/** Moves the focus to the heading of the page if no element has it. */
export function keepFocus(): void {
  if (document.activeElement === document.body)
    document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
}

/** Opens the door, and restores the scroll position and focus of a returning user. */
export function openDoor(): void {
  door.replaceChildren();
  root.hidden = false;
  root.inert = false;
  if (before !== null) {
    const { scrolled, focused } = before;
    before = null;
    window.scrollTo(window.scrollX, scrolled);
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
    keepFocus();
  }
  shut.set(false);
}

/** Opens the door to a new dashboard, which has no scroll position or focus to restore. */
export function openAnew(): void {
  before = null;
  openDoor();
}

// "Back" and "forward" have no effect at the door: the page behind it would navigate too, and lose its unsaved input. A capturing
// listener runs before the router's.
window.addEventListener(
  'popstate',
  (event) => {
    if (!shut.get() || before === null || root.childElementCount === 0) return;
    event.stopImmediatePropagation();
    history.pushState(null, '', before.address);
  },
  { capture: true },
);
