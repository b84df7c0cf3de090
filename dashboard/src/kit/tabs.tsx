// Parts of a page of which one is shown. Which one is in its address, so that it can be linked.
// Not React Aria's, which are built on its collections: they weigh as much as a page, and these are four keys
// (https://www.w3.org/WAI/ARIA/apg/patterns/tabs/).

import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { useAddressParameters } from './address.ts';
import styles from './tabs.module.css';
import { mayLeave } from './unsaved.ts';

/** One of the parts. */
interface Part {
  readonly id: string;
  readonly title: string;
  readonly children: ReactNode;
}

/** What parts are called, and which of them is shown. */
interface TabsProps {
  readonly label: string;
  /** The parameter of the address that says which is shown; the first where there is none. */
  readonly name?: string;
  /** Whether what was entered in one part is there in the others as well: then nothing is lost that would have to be asked about. */
  readonly shared?: boolean;
  readonly parts: readonly Part[];
}

/** Gives the place that a key leads to from another; undefined for other keys. */
function placeBy(key: string, from: number, count: number): number | undefined {
  if (key === 'ArrowRight') return (from + 1) % count;
  if (key === 'ArrowLeft') return (from + count - 1) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

/** Scrolls a list to one of its tabs, which may be out of sight where there is little room. The page stays where it is. */
function bringIntoSight(tab: HTMLElement): void {
  const list = tab.parentElement;
  if (list === null) return;
  const [outer, inner] = [list.getBoundingClientRect(), tab.getBoundingClientRect()];
  if (inner.left < outer.left) list.scrollLeft += inner.left - outer.left;
  else if (inner.right > outer.right) list.scrollLeft += inner.right - outer.right;
}

/** Parts of which one is shown. */
export function Tabs({ label, name = 'tab', shared = false, parts }: TabsProps) {
  const [parameters, setParameters] = useAddressParameters();
  const id = useId();
  const chosen = parts.findIndex((part) => part.id === parameters.get(name));
  const place = Math.max(chosen, 0);
  const shown = parts[place];
  const choose = (next: number) => {
    // The part that is left is taken away, with what was entered there.
    if (next === place || (!shared && !mayLeave())) return;
    // What the list of one part was asked for is not meant for that of another.
    setParameters({ [name]: next === 0 ? '' : (parts[next]?.id ?? ''), search: '', order: '' });
  };
  const press = (event: KeyboardEvent) => {
    // With another key they are the browser's, as Alt with an arrow, which goes back.
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const next = placeBy(event.key, place, parts.length);
    if (next === undefined) return;
    event.preventDefault();
    choose(next);
  };
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whichever is chosen.
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[aria-selected=true]');
    if (tab) bringIntoSight(tab);
    // It takes the focus from another, and where what had it is gone with the part that was left.
    const { activeElement: focused, body } = document;
    if (focused === body || list.current?.contains(focused)) tab?.focus({ preventScroll: true });
  }, [place]);
  if (shown === undefined) return null;
  return (
    <div>
      <div role="tablist" aria-label={label} className={styles.list} ref={list}>
        {parts.map((part, at) => (
          <div
            key={part.id}
            role="tab"
            id={`${id}-${part.id}`}
            className={styles.tab}
            aria-selected={at === place}
            aria-controls={at === place ? `${id}-panel` : undefined}
            tabIndex={at === place ? 0 : -1}
            onClick={() => choose(at)}
            onKeyDown={press}
          >
            {part.title}
          </div>
        ))}
      </div>
      <div
        key={shown.id}
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${shown.id}`}
        className={styles.panel}
      >
        {shown.children}
      </div>
    </div>
  );
}
