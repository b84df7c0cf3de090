// The command palette: one field that finds pages, what can be done, and objects by name, id, address or fingerprint.

import { useLocation } from 'wouter';
import { type Counts, countsOf } from '../client/counts.ts';
import { useData } from '../client/data.ts';
import { nameOf, pageOf, pageOfRule, titleOf } from '../client/kinds.ts';
import { allows, useViewer } from '../client/rights.ts';
import { type Hit, useHits } from '../client/search.ts';
import { useStore } from '../client/use-store.ts';
import { readAddress } from '../impact/ranges.ts';
import { useAddressParameter } from '../kit/address.ts';
import { type Entry, Finder } from '../kit/finder.tsx';
import { leave } from '../kit/unsaved.ts';
import { countedLists, deeds, navigation, soughtParameter } from './navigation.ts';
import { ownDeeds } from './own-deeds.ts';
import { theme } from './theme.ts';

/** The lists that must not be empty for some deeds. */
const neededLists = countedLists.filter(({ field }) => deeds.some(({ needs }) => needs === field));

/** Returns the entry for a hit; null if no page shows it. A rule leads to the page of its policy, filtered to matching rules. */
function entryOf({ node, field, text }: Hit, sought: string): Entry | null {
  const kind = titleOf(node.__typename);
  if (node.__typename === 'IpPolicyRule') {
    const { cidr, ipPolicy } = node;
    // The search in a policy's list does not cover rule identifiers.
    const href = pageOfRule(node, field === 'id' ? cidr : sought);
    return { id: href, title: nameOf(ipPolicy), note: `${kind} · ${text}` };
  }
  const href = pageOf(node.__typename, node.id);
  if (href === null) return null;
  const title = nameOf(node);
  // The note shows the matching text, unless that is already the title.
  const isTitle = field === 'description' || text === title;
  return { id: href, title, note: isTitle ? kind : `${kind} · ${text}` };
}

/** Returns the entries for hits. Hits on the same page become one entry, whose note lists all of their texts. */
function entriesOf(hits: readonly Hit[], sought: string): readonly Entry[] {
  const entries = new Map<string, Entry>();
  for (const hit of hits) {
    const entry = entryOf(hit, sought);
    if (entry === null) continue;
    const before = entries.get(entry.id);
    entries.set(entry.id, before === undefined ? entry : { ...before, note: `${before.note}, ${hit.text}` });
  }
  return [...entries.values()];
}

/** Returns which of the lists that deeds need have objects, as far as the key may read them. */
function useFilled(scopes: readonly string[]): (field: string) => boolean {
  const counted = neededLists.filter(({ scope }) => allows(scopes, scope));
  const { data } = useData<Counts, object>(countsOf(counted), {}, [], counted.length === 0);
  return (field) => (data?.[field]?.totalCount ?? 0) > 0;
}

/** Returns the entry for a page or task. */
const entryTo = ({ href, title }: { readonly href: string; readonly title: string }): Entry => ({ id: href, title });

/** The command palette. */
export default function Palette({ close }: { close: () => void }) {
  const [text, setText] = useAddressParameter(soughtParameter);
  const [, navigate] = useLocation();
  const { scopes, person } = useViewer();
  const isFilled = useFilled(scopes);
  const own = ownDeeds(useStore(theme)).filter(({ isChosen }) => !isChosen);
  const sought = text.trim();
  const { hits, text: found, isSeeking, problem } = useHits(sought);
  const objects = entriesOf(hits, found);
  const may = ({ scope, alsoNeeds = null }: { scope: string | null; alsoNeeds?: string | null }) =>
    [scope, alsoNeeds].every((needed) => needed === null || allows(scopes, needed));
  const fits = ({ title }: { title: string }) => title.toLowerCase().includes(sought.toLowerCase());
  const pages = navigation
    .flatMap(({ entries }) => entries)
    .filter((entry) => may(entry) && fits(entry) && (entry.isForPeople !== true || person != null))
    .map(entryTo);
  const begun = deeds
    .filter((deed) => may(deed) && fits(deed) && (deed.needs === undefined || isFilled(deed.needs)))
    .map(entryTo);
  const done = own.filter(fits).map(({ title }) => ({ id: title, title }));
  // Not before the objects have been found: they are listed first, so the entry to choose would move while the user reaches for it.
  if (
    !isSeeking &&
    readAddress(sought) !== null &&
    may({ scope: 'ip-restrictions:read', alsoNeeds: 'ip-policies:read' })
  ) {
    begun.unshift({ id: `/ip-restrictions?try=${encodeURIComponent(sought)}`, title: `May ${sought} come in?` });
  }
  const isNothing =
    sought !== '' && !isSeeking && problem === null && objects.length + pages.length + begun.length + done.length === 0;
  return (
    <Finder
      title="Search"
      label="Search everything"
      placeholder="Name, id, address, fingerprint, a page, or what to do"
      text={text}
      setText={setText}
      sections={[
        { title: 'Objects', entries: objects },
        { title: 'Begin', entries: begun },
        { title: 'Pages', entries: pages },
        { title: 'Account', entries: done },
      ]}
      isSeeking={isSeeking}
      problem={problem}
      remark={isNothing ? `Nothing has “${sought}” in its name, id, address or fingerprint.` : null}
      choose={(id) => {
        const deed = own.find(({ title }) => title === id);
        close();
        if (deed === undefined) leave(() => navigate(id));
        else deed.onAction();
      }}
      close={close}
    />
  );
}
