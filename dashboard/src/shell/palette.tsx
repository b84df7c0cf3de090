// One field for everything: pages to go to, what can be begun, and objects to find by name, id, address or fingerprint.

import { useEffect, useState } from 'react';
import { Autocomplete } from 'react-aria-components/Autocomplete';
import { Header, Menu, MenuItem, MenuSection } from 'react-aria-components/Menu';
import { Dialog as AriaDialog, Modal, ModalOverlay } from 'react-aria-components/Modal';
import { Input, TextField } from 'react-aria-components/TextField';
import { useClient } from 'urql';
import { useLocation } from 'wouter';
import { nameOf, pageOf, pageOfRule, titleOf } from '../client/kinds.ts';
import { type Problem, problemOf } from '../client/problem.ts';
import { allows, useViewer } from '../client/rights.ts';
import { useAddressParameter } from '../kit/address.ts';
import { root } from '../kit/door.ts';
import { SearchIcon } from '../kit/icons.tsx';
import { ProblemNotice } from '../kit/notice.tsx';
import { mayLeave } from '../kit/unsaved.ts';
import { deeds, navigation, soughtParameter } from './navigation.ts';
import { SearchDocument, type SearchQuery } from './palette.generated.ts';
import styles from './palette.module.css';

type Hit = NonNullable<SearchQuery['search']>[number];

/** Something to go to. */
interface Entry {
  readonly href: string;
  readonly title: string;
  /** What it is, or what of it was found. */
  readonly note?: string;
}

/** Milliseconds after the last key until the server is asked. */
const settleMs = 150;
/** The longest text that the server looks for, in bytes. */
const longest = 255;

/** What looks like a whole IPv4 address, or the beginning of an IPv6 address; the page that tries it says what is wrong with it. */
const addressForm = /^(\d{1,3}(\.\d{1,3}){3}|[\da-f]{1,4}:[\da-f:.]*)$/i;

/** Gives the page that shows a hit; null where there is none. A rule is shown by the page of its policy, with those alone that fit as well. */
function entryOf({ node, field, text }: Hit, sought: string): Entry | null {
  const kind = titleOf(node.__typename);
  if (node.__typename === 'IpPolicyRule') {
    const { cidr, ipPolicy } = node;
    // The list of a policy looks for no identifiers of rules.
    const href = pageOfRule(node, field === 'id' ? cidr : sought);
    return { href, title: nameOf(ipPolicy), note: `${kind} · ${text}` };
  }
  const href = pageOf(node.__typename, node.id);
  if (href === null) return null;
  const title = nameOf(node);
  // What was found says itself why, unless it is the title.
  const isTitle = field === 'description' || text === title;
  return { href, title, note: isTitle ? kind : `${kind} · ${text}` };
}

/** Gives the pages that show hits. One that shows several says of each why. */
function entriesOf(hits: readonly Hit[], sought: string): readonly Entry[] {
  const entries = new Map<string, Entry>();
  for (const hit of hits) {
    const entry = entryOf(hit, sought);
    if (entry === null) continue;
    const before = entries.get(entry.href);
    entries.set(entry.href, before === undefined ? entry : { ...before, note: `${before.note}, ${hit.text}` });
  }
  return [...entries.values()];
}

/** Finds objects by what was typed, a little after the last key. */
function useHits(sought: string): { hits: readonly Entry[]; isSeeking: boolean; problem: Problem | null } {
  const client = useClient();
  const [found, setFound] = useState<{ text: string; hits: readonly Entry[]; problem: Problem | null }>();
  useEffect(() => {
    if (sought === '') return;
    let isCurrent = true;
    const timer = setTimeout(async () => {
      const answer = await client
        .query(SearchDocument, { text: sought }, { requestPolicy: 'network-only' })
        .toPromise();
      if (!isCurrent) return;
      const hits = entriesOf(answer.data?.search ?? [], sought);
      setFound({ text: sought, hits, problem: answer.error ? problemOf(answer.error) : null });
    }, settleMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [client, sought]);
  if (sought === '') return { hits: [], isSeeking: false, problem: null };
  return { hits: found?.hits ?? [], isSeeking: found?.text !== sought, problem: found?.problem ?? null };
}

function Section({ title, entries }: { title: string; entries: readonly Entry[] }) {
  if (entries.length === 0) return null;
  return (
    <MenuSection className={styles.section}>
      <Header className={styles.header}>{title}</Header>
      {entries.map(({ href, title: name, note }) => (
        <MenuItem
          key={href}
          id={href}
          textValue={note === undefined ? name : `${name}, ${note}`}
          className={styles.item}
        >
          <span className={styles.name}>{name}</span>
          {note !== undefined && <span className={styles.note}>{note}</span>}
        </MenuItem>
      ))}
    </MenuSection>
  );
}

/** The palette. */
export default function Palette({ close }: { close: () => void }) {
  const [text, setText] = useAddressParameter(soughtParameter);
  const [, navigate] = useLocation();
  const { scopes } = useViewer().apiKey;
  const sought = text.trim();
  const isTooLong = new TextEncoder().encode(sought).length > longest;
  const { hits, isSeeking, problem } = useHits(isTooLong ? '' : sought);
  const may = ({ scope, alsoNeeds = null }: { scope: string | null; alsoNeeds?: string | null }) =>
    [scope, alsoNeeds].every((needed) => needed === null || allows(scopes, needed));
  const fits = ({ title }: { title: string }) => title.toLowerCase().includes(sought.toLowerCase());
  const pages = navigation.flatMap(({ entries }) => entries).filter((entry) => may(entry) && fits(entry));
  const begun: Entry[] = deeds.filter((deed) => may(deed) && fits(deed));
  // Not before the objects are there, which come first: what is chosen would change under the fingers.
  if (!isSeeking && addressForm.test(sought) && may({ scope: 'ip-restrictions:read', alsoNeeds: 'ip-policies:read' })) {
    begun.unshift({ href: `/ip-restrictions?try=${encodeURIComponent(sought)}`, title: `May ${sought} come in?` });
  }
  const isNothing = sought !== '' && !isSeeking && hits.length + pages.length + begun.length === 0;
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
        <AriaDialog aria-label="Search" className={styles.dialog}>
          <Autocomplete inputValue={text} onInputChange={setText}>
            {/* Not a `SearchField`, in which Escape would empty the field before it closes the palette. */}
            <TextField aria-label="Search everything" className={styles.field} autoFocus>
              <SearchIcon />
              <Input className={styles.input} placeholder="Name, id, address, fingerprint, or a page" />
              <kbd>Esc</kbd>
            </TextField>
            {isTooLong && <p className={styles.nothing}>Shorten it: at most {longest} bytes can be sought.</p>}
            <ProblemNotice problem={problem} />
            <Menu
              aria-label="What was found"
              className={styles.list}
              onAction={(href) => {
                if (!mayLeave()) return;
                close();
                navigate(String(href));
              }}
              renderEmptyState={() => null}
            >
              <Section title="Objects" entries={hits} />
              <Section title="Begin" entries={begun} />
              <Section title="Pages" entries={pages} />
            </Menu>
            <p className={isNothing ? styles.nothing : 'hidden'} role="status">
              {isNothing && !isTooLong
                ? `Nothing has “${sought}” in its name, id, address or fingerprint.`
                : hits.length > 0 && !isSeeking
                  ? `${hits.length} found`
                  : ''}
            </p>
          </Autocomplete>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
