// The door: what is shown in place of the dashboard before somebody is let in, and once the server no longer lets them in. What was entered and
// not saved stays alive behind it, out of sight and reach, and is still there when the door opens again.

import { createStore } from '../client/store.ts';

/** Gives an element of index.html. Throws Error where there is none. */
function elementOf(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`index.html has no element with the id "${id}".`);
  return element;
}

/** Where what stands in the way is drawn. */
export const door = elementOf('door');
/** Where the dashboard is drawn, with all that stands above its pages, such as dialogs. */
export const root = elementOf('root');

/** Where the person was when the door was shut. */
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

/** Leads whoever is at nothing to the heading of the page. */
export function keepPlace(): void {
  if (document.activeElement === document.body)
    document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
}

/** Opens the door. Whoever comes back is where they were. */
export function openDoor(): void {
  door.replaceChildren();
  root.hidden = false;
  root.inert = false;
  if (before !== null) {
    const { scrolled, focused } = before;
    before = null;
    window.scrollTo(window.scrollX, scrolled);
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
    keepPlace();
  }
  shut.set(false);
}

/** Opens the door to a dashboard that is not there yet: nobody was at anything. */
export function openAnew(): void {
  before = null;
  openDoor();
}

// "Back" and "forward" at the door change nothing: the page behind it would go along, and lose what was entered. Listeners that
// capture come before the router.
window.addEventListener(
  'popstate',
  (event) => {
    if (!shut.get() || before === null || root.childElementCount === 0) return;
    event.stopImmediatePropagation();
    history.pushState(null, '', before.address);
  },
  { capture: true },
);
