// Parts of a page of which one is shown. Which one is in its address, so that it can be linked.

import { type ReactNode, useEffect, useRef } from 'react';
import { Tabs as AriaTabs, Tab, TabList, TabPanel } from 'react-aria-components/Tabs';
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

/** Parts of which one is shown. */
export function Tabs({ label, name = 'tab', shared = false, parts }: TabsProps) {
  const [parameters, setParameters] = useAddressParameters();
  const chosen = parameters.get(name) ?? '';
  // What the list of one part was asked for is not meant for that of another.
  const choose = (value: string) => setParameters({ [name]: value, search: '', order: '' });
  const selected = parts.some((part) => part.id === chosen) ? chosen : (parts[0]?.id ?? '');
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whichever is chosen.
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[data-selected]');
    // Where there is little room, it may be out of sight.
    tab?.scrollIntoView({ block: 'nearest' });
    // What had the focus may be gone with the part in which it was.
    if (document.activeElement === document.body) tab?.focus({ preventScroll: true });
  }, [selected]);
  return (
    <AriaTabs
      selectedKey={selected}
      onSelectionChange={(key) => {
        // The part that is left is taken away, with what was entered there.
        if (key !== selected && (shared || mayLeave())) choose(key === parts[0]?.id ? '' : String(key));
      }}
    >
      <TabList aria-label={label} className={styles.list} ref={list}>
        {parts.map((part) => (
          <Tab key={part.id} id={part.id} className={styles.tab}>
            {part.title}
          </Tab>
        ))}
      </TabList>
      {parts.map((part) => (
        <TabPanel key={part.id} id={part.id} className={styles.panel}>
          {part.children}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}
