// One field for everything: pages to go to, what can be begun, and objects to find by name, id, address or fingerprint.

import { useLocation } from 'wouter';
import { nameOf, pageOf, pageOfRule, titleOf } from '../client/kinds.ts';
import { allows, useViewer } from '../client/rights.ts';
import { type Hit, useHits } from '../client/search.ts';
import { useAddressParameter } from '../kit/address.ts';
import { type Entry, Finder } from '../kit/finder.tsx';
import { mayLeave } from '../kit/unsaved.ts';
import { deeds, navigation, soughtParameter } from './navigation.ts';

/** What looks like a whole IPv4 address, or the beginning of an IPv6 address; the page that tries it says what is wrong with it. */
const addressForm = /^(\d{1,3}(\.\d{1,3}){3}|[\da-f]{1,4}:[\da-f:.]*)$/i;

/** Gives an entry that leads to what was hit; null where no page shows it. A rule is shown by the page of its policy, with those alone that fit as well. */
function entryOf({ node, field, text }: Hit, sought: string): Entry | null {
  const kind = titleOf(node.__typename);
  if (node.__typename === 'IpPolicyRule') {
    const { cidr, ipPolicy } = node;
    // The list of a policy looks for no identifiers of rules.
    const href = pageOfRule(node, field === 'id' ? cidr : sought);
    return { id: href, title: nameOf(ipPolicy), note: `${kind} · ${text}` };
  }
  const href = pageOf(node.__typename, node.id);
  if (href === null) return null;
  const title = nameOf(node);
  // What was found says itself why, unless it is the title.
  const isTitle = field === 'description' || text === title;
  return { id: href, title, note: isTitle ? kind : `${kind} · ${text}` };
}

/** Gives entries that lead to hits. A page that shows several says of each why. */
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

/** Gives the entry that leads to a place. */
const entryTo = ({ href, title }: { readonly href: string; readonly title: string }): Entry => ({ id: href, title });

/** The palette. */
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
  // Not before the objects are there, which come first: what is chosen would change under the fingers.
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
        if (!mayLeave()) return;
        close();
        navigate(href);
      }}
      close={close}
    />
  );
}
