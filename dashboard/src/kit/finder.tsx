// A field, and below it what was found: one types, and chooses with the arrow keys, a mouse or a finger.

import { Autocomplete } from 'react-aria-components/Autocomplete';
import { Header, Menu, MenuItem, MenuSection } from 'react-aria-components/Menu';
import { Dialog as AriaDialog, Modal, ModalOverlay } from 'react-aria-components/Modal';
import { Input, TextField } from 'react-aria-components/TextField';
import type { Problem } from '../client/problem.ts';
import { root } from './door.ts';
import styles from './finder.module.css';
import { SearchIcon } from './icons.tsx';
import { ProblemNotice } from './notice.tsx';

/** Something that can be chosen. */
export interface Entry {
  /** What is told when it is chosen. */
  readonly id: string;
  readonly title: string;
  /** What it is, or what of it was found. */
  readonly note?: string;
}

/** Entries of one sort. One without any is not shown. */
interface Section {
  readonly title: string;
  readonly entries: readonly Entry[];
}

function FoundSection({ title, entries }: Section) {
  if (entries.length === 0) return null;
  return (
    <MenuSection className={styles.section}>
      <Header className={styles.header}>{title}</Header>
      {entries.map(({ id, title: name, note }) => (
        <MenuItem key={id} id={id} textValue={note === undefined ? name : `${name}, ${note}`} className={styles.item}>
          <span className={styles.name}>{name}</span>
          {note !== undefined && <span className={styles.note}>{note}</span>}
        </MenuItem>
      ))}
    </MenuSection>
  );
}

/**
 * Finds something to choose. It is open as long as it is drawn.
 *
 * @param title what it is for
 * @param label what its field is called
 * @param problem why nothing can be found
 * @param isSeeking whether what was typed is still being looked for: what is there is no answer to it
 * @param remark what is said below what was found, such as that it is nothing or not all; null for how much it is
 */
export function Finder({
  title,
  label,
  placeholder,
  text,
  setText,
  sections,
  isSeeking,
  problem,
  remark,
  choose,
  close,
}: {
  title: string;
  label: string;
  placeholder: string;
  text: string;
  setText: (text: string) => void;
  sections: readonly Section[];
  isSeeking: boolean;
  problem: Problem | null;
  remark: string | null;
  choose: (id: string) => void;
  close: () => void;
}) {
  const found = sections.reduce((count, { entries }) => count + entries.length, 0);
  const isAnswered = text.trim() !== '' && !isSeeking && problem === null;
  return (
    <ModalOverlay
      UNSTABLE_portalContainer={root}
      isOpen
      isDismissable
      onOpenChange={(isOpen) => {
        if (!isOpen) close();
      }}
      className={`shade ${styles.around}`}
    >
      <Modal className={styles.modal}>
        <AriaDialog aria-label={title} className={styles.dialog}>
          <Autocomplete inputValue={text} onInputChange={setText}>
            {/* Not a `SearchField`, in which Escape would empty the field before it closes the finder. */}
            <TextField aria-label={label} className={styles.field} autoFocus>
              <SearchIcon />
              <Input className={styles.input} placeholder={placeholder} />
              <kbd>Esc</kbd>
            </TextField>
            <ProblemNotice problem={problem} />
            <Menu
              aria-label="What was found"
              className={styles.list}
              onAction={(id) => choose(String(id))}
              renderEmptyState={() => null}
            >
              {sections.map((section) => (
                <FoundSection key={section.title} {...section} />
              ))}
            </Menu>
            <p className={remark === null ? 'hidden' : styles.remark} role="status">
              {remark ?? (isAnswered && `${found} found`)}
            </p>
          </Autocomplete>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
