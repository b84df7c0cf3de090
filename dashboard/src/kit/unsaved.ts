// What was entered and not saved: whoever goes elsewhere is asked first.

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

/** Tells whether the page may be left; asks where something would be lost. */
export function mayLeave(): boolean {
  return unsaved === 0 || window.confirm('What you have entered here is not saved. Leave it?');
}
