// The gate: what stands in the place of the dashboard before somebody is let in, and when the server lets him in no more. The dashboard stays
// alive behind it, out of sight and reach, so that what was entered there is still there when the gate opens again.

/** Gives an element of index.html. Throws Error where there is none. */
function elementOf(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`index.html has no element with the id "${id}".`);
  return element;
}

/** Where what stands in the way is drawn. */
export const gate = elementOf('gate');
/** Where the dashboard is drawn, with all that stands above its pages, such as dialogs. */
export const root = elementOf('root');

/** What the person was at when the gate was shut. */
let before: { readonly title: string; readonly focused: Element | null } | null = null;

/** Tells whether the gate is shut. */
export const isShut = () => root.inert;

/** Shuts the gate. */
export function shutGate(): void {
  if (isShut()) return;
  before = { title: document.title, focused: document.activeElement };
  root.hidden = true;
  root.inert = true;
}

/** Opens the gate. Who comes back is where he was. */
export function openGate(): void {
  gate.replaceChildren();
  root.hidden = false;
  root.inert = false;
  if (before === null) return;
  document.title = before.title;
  if (before.focused instanceof HTMLElement) before.focused.focus({ preventScroll: true });
  before = null;
}

/** Opens the gate to a dashboard that is not there yet: nobody was at anything. */
export function openAnew(): void {
  before = null;
  openGate();
}
