// The command palette: one field that finds pages, tasks, and objects by name, id, address or fingerprint.

import { useLocation } from 'wouter';
import { nameOf, pageOf, pageOfRule, titleOf } from '../client/kinds.ts';
import { allows, useViewer } from '../client/rights.ts';
import { type Hit, useHits } from '../client/search.ts';
import { useAddressParameter } from '../kit/address.ts';
import { type Entry, Finder } from '../kit/finder.tsx';
import { leave } from '../kit/unsaved.ts';
import { deeds, navigation, soughtParameter } from './navigation.ts';

/** Matches a complete IPv4 address or the start of an IPv6 address. The page that tries the address reports errors in it. */
const addressForm = /^(\d{1,3}(\.\d{1,3}){3}|[\da-f]{1,4}:[\da-f:.]*)$/i;

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

/** Returns the entry for a page or task. */
const entryTo = ({ href, title }: { readonly href: string; readonly title: string }): Entry => ({ id: href, title });

/** The command palette. */
export default function Palette({ close }: { close: () => void }) {
  const [text, setText] = useAddressParameter(soughtParameter);
  const [, navigate] = useLocation();
  const { scopes } = useViewer().apiKey;
  const sought = text.trim();
  const { hits, text: found, isSeeking, problem } = useHits(sought);
  const objects = entriesOf(hits, found);
  const may = ({ scope, alsoNeeds = null }: { scope: string | null; alsoNeeds?: string | null }) =>
    [scope, alsoNeeds].every((needed) => needed === null || allows(scopes, needed));
  const fits = ({ title }: { title: string }) => title.toLowerCase().includes(sought.toLowerCase());
  const pages = navigation
    .flatMap(({ entries }) => entries)
    .filter((entry) => may(entry) && fits(entry))
    .map(entryTo);
  const begun = deeds.filter((deed) => may(deed) && fits(deed)).map(entryTo);
  // Not before the objects have been found: they are listed first, so the entry to choose would move while the user reaches for it.
  if (!isSeeking && addressForm.test(sought) && may({ scope: 'ip-restrictions:read', alsoNeeds: 'ip-policies:read' })) {
    begun.unshift({ id: `/ip-restrictions?try=${encodeURIComponent(sought)}`, title: `May ${sought} come in?` });
  }
  const isNothing =
    sought !== '' && !isSeeking && problem === null && objects.length + pages.length + begun.length === 0;
  return (
    <Finder
      title="Search"
      label="Search everything"
      placeholder="Name, id, address, fingerprint, or a page"
      text={text}
      setText={setText}
      sections={[
        { title: 'Objects', entries: objects },
        { title: 'Begin', entries: begun },
        { title: 'Pages', entries: pages },
      ]}
      isSeeking={isSeeking}
      problem={problem}
      remark={isNothing ? `Nothing has “${sought}” in its name, id, address or fingerprint.` : null}
      choose={(href) => {
        close();
        leave(() => navigate(href));
      }}
      close={close}
    />
  );
}
