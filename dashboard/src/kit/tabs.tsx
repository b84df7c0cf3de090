// Tabs. The selected one is kept in the page address, so that it can be linked to.
// React Aria's tabs are not used: they are built on its collections, which weigh as much as a page, to handle four keys
// (https://www.w3.org/WAI/ARIA/apg/patterns/tabs/).

import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { useAddressParameters } from './address.ts';
import styles from './tabs.module.css';
import { leave } from './unsaved.ts';

/** A tab with its content. */
interface Part {
  readonly id: string;
  readonly title: string;
  readonly children: ReactNode;
}

interface TabsProps {
  readonly label: string;
  /** Name of the query parameter that selects a tab. Without a value, the first tab is shown. */
  readonly name?: string;
  /** Whether all tabs edit the same values, so that switching loses no input and needs no confirmation. */
  readonly shared?: boolean;
  readonly parts: readonly Part[];
}

/** Returns the index of the tab that a key moves to; undefined for other keys. */
function indexBy(key: string, from: number, count: number): number | undefined {
  if (key === 'ArrowRight') return (from + 1) % count;
  if (key === 'ArrowLeft') return (from + count - 1) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

/** Scrolls the tab list to a tab that is out of sight, without scrolling the page. */
function bringIntoSight(tab: HTMLElement): void {
  const list = tab.parentElement;
  if (list === null) return;
  const [outer, inner] = [list.getBoundingClientRect(), tab.getBoundingClientRect()];
  if (inner.left < outer.left) list.scrollLeft += inner.left - outer.left;
  else if (inner.right > outer.right) list.scrollLeft += inner.right - outer.right;
}

/** Tabs. */
export function Tabs({ label, name = 'tab', shared = false, parts }: TabsProps) {
  const [parameters, setParameters] = useAddressParameters();
  const id = useId();
  const chosen = parts.findIndex((part) => part.id === parameters.get(name));
  const index = Math.max(chosen, 0);
  const shown = parts[index];
  const choose = (next: number) => {
    if (next === index) return;
    // The search and order of a list in one tab do not apply to another tab.
    const go = () => setParameters({ [name]: next === 0 ? '' : (parts[next]?.id ?? ''), search: '', order: '' });
    // The tab that is left is unmounted, together with its input.
    if (shared) go();
    else leave(go);
  };
  const press = (event: KeyboardEvent) => {
    // Key combinations belong to the browser, such as Alt with an arrow for going back.
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const next = indexBy(event.key, index, parts.length);
    if (next === undefined) return;
    event.preventDefault();
    choose(next);
  };
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each newly selected tab.
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[aria-selected=true]');
    if (tab) bringIntoSight(tab);
    // Takes the focus from another tab, or if the focused element was unmounted with the tab that was left.
    const { activeElement: focused, body } = document;
    if (focused === body || list.current?.contains(focused)) tab?.focus({ preventScroll: true });
  }, [index]);
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
            aria-selected={at === index}
            aria-controls={at === index ? `${id}-panel` : undefined}
            tabIndex={at === index ? 0 : -1}
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
