// A search field with the results below it, to be chosen with the arrow keys, a mouse or a finger.

import { Autocomplete } from 'react-aria-components/Autocomplete';
import { Header, Menu, MenuItem, MenuSection } from 'react-aria-components/Menu';
import { Dialog as AriaDialog, Modal, ModalOverlay } from 'react-aria-components/Modal';
import { Input, TextField } from 'react-aria-components/TextField';
import type { Problem } from '../client/problem.ts';
import { root } from './door.ts';
import styles from './finder.module.css';
import { SearchIcon } from './icons.tsx';
import { ProblemNotice } from './notice.tsx';

/** A result that can be chosen. */
export interface Entry {
  /** Passed to `choose`. */
  readonly id: string;
  readonly title: string;
  /** What the object is, or which of its texts matched. */
  readonly note?: string;
}

/**
 * Returns a remark on objects found in a list: that there are none, or that there may be more; null for no remark.
 *
 * @param kind what an object is called, such as `key`
 * @param searched the fields that are searched, such as `description, metadata or id`
 */
export function remarkOn({
  kind,
  searched,
  sought,
  isNothing,
  hasMore,
  isSearchedInPart,
}: {
  kind: string;
  searched: string;
  sought: string;
  isNothing: boolean;
  hasMore: boolean;
  isSearchedInPart: boolean;
}): string | null {
  if (hasMore) return `There are more ${kind}s. Type more to narrow them.`;
  if (isSearchedInPart) return `The oldest ${kind}s were not searched. They are found by their identifiers.`;
  return isNothing ? `No ${kind} has “${sought}” in its ${searched}.` : null;
}

/** A group of results. Not shown if it is empty. */
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

/** Returns the entries that have a text. If there are none, the first result is focused as soon as it comes. */
function sectionsWith(text: string, sections: readonly Section[]): readonly Section[] {
  const sought = text.trim().toLowerCase();
  const has = ({ title, note = '' }: Entry) => `${title}\n${note}`.toLowerCase().includes(sought);
  return sections.map(({ title, entries }) => ({ title, entries: entries.filter(has) }));
}

/**
 * A dialog that finds something to choose. Open for as long as it is rendered.
 *
 * @param title accessible name of the dialog
 * @param label accessible name of the field
 * @param problem why the search failed
 * @param isSeeking whether the results are those of another text: only entries that have the typed one are shown, so that none is
 *   chosen by mistake
 * @param remark a note below the results, such as that there are none or more; null to announce their number to screen readers
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
  const shown = isSeeking ? sectionsWith(text, sections) : sections;
  const [first] = shown.flatMap(({ entries }) => entries);
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
            {/* Not a `SearchField`: in one, Escape would empty the field instead of closing the finder. */}
            <TextField aria-label={label} className={styles.field} autoFocus>
              <SearchIcon />
              <Input
                className={styles.input}
                placeholder={placeholder}
                onKeyDown={({ key, currentTarget }) => {
                  // A pasted text puts the focus on no entry.
                  const isFocusHere = !currentTarget.hasAttribute('aria-activedescendant');
                  if (key === 'Enter' && isFocusHere && first !== undefined) choose(first.id);
                }}
              />
              <kbd>Esc</kbd>
            </TextField>
            <ProblemNotice problem={problem} />
            <Menu
              aria-label="What was found"
              className={styles.list}
              onAction={(id) => choose(String(id))}
              renderEmptyState={() => null}
            >
              {shown.map((section) => (
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
