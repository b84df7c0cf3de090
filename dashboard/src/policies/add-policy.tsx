// A search field that adds an IP policy to something. Loaded on demand, because it weighs more than the rest of the page.

import { useContext, useState } from 'react';
import { Button as AriaButton } from 'react-aria-components/Button';
import {
  ComboBox,
  ComboBoxStateContext,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
} from 'react-aria-components/ComboBox';
import { useData } from '../client/data.ts';
import { nameOf } from '../client/kinds.ts';
import { usePages } from '../client/pages.ts';
import { useCan } from '../client/rights.ts';
import { root } from '../kit/door.ts';
import { ChevronIcon } from '../kit/icons.tsx';
import { Link } from '../kit/link.tsx';
import { Notice, Unreadable } from '../kit/notice.tsx';
import { useSettled } from '../kit/settled.ts';
import { FindPoliciesDocument, PolicyChoicesDocument } from './policies.generated.ts';
import styles from './policies.module.css';
import { type PolicyChoice, RuleCount } from './policy-choice.tsx';

/** The text field. A click opens the list; for keyboard users, typing does. */
function Field() {
  const list = useContext(ComboBoxStateContext);
  return (
    <Input
      className={styles.input}
      placeholder="Add a policy: search by description"
      onClick={() => list?.open(null, 'manual')}
    />
  );
}

/** Adds policies, one at a time. */
export default function AddPolicy({
  chosen,
  onAdd,
  isInvalid,
  autoFocus,
}: {
  /** Identifiers of the policies that are already chosen. */
  readonly chosen: readonly string[];
  readonly onAdd: (policy: PolicyChoice) => void;
  readonly isInvalid: boolean;
  readonly autoFocus: boolean;
}) {
  const pages = usePages(PolicyChoicesDocument, {}, (data) => data.ipPolicies, ['IpPolicy', 'IpPolicyRule']);
  const { nodes, hasMore } = pages;
  const canMake = useCan('ip-policies:write');
  const [text, setText] = useState('');
  const [added, setAdded] = useState(0);
  const wanted = text.trim().toLowerCase();
  const asked = useSettled(wanted);
  // If there are more policies than the first page holds, the server searches for the others.
  const search = useData(FindPoliciesDocument, { text: asked }, ['IpPolicy'], !hasMore || asked === '');
  const isSeeking = hasMore && (asked !== wanted || search.reading);
  const failed = [pages, search].find(({ error }) => error !== undefined);
  const hits = asked === '' || !hasMore ? [] : (search.data?.search ?? []);
  const choices = new Map<string, PolicyChoice>();
  for (const policy of nodes ?? []) choices.set(policy.id, policy);
  for (const { node } of hits) if ('rules' in node) choices.set(node.id, node);
  const open = [...choices.values()].filter(({ id }) => !chosen.includes(id));
  const found = open.filter(
    ({ id, description }) =>
      `${description}\n${id}`.toLowerCase().includes(wanted) || hits.some(({ node }) => node.id === id),
  );
  if (nodes?.length === 0 && chosen.length === 0) {
    return (
      <Notice>
        There are no policies yet.
        {canMake && (
          <>
            {' '}
            <Link href="/ip-policies?new=1">Make one</Link> of the addresses that are to be let in, and choose it here.
          </>
        )}
      </Notice>
    );
  }
  return (
    <>
      <ComboBox
        // Remounted after each choice, so that the list closes and the next policy can be typed.
        key={added}
        autoFocus={autoFocus || added > 0}
        className={styles.combo}
        items={found}
        inputValue={text}
        onInputChange={setText}
        selectedKey={null}
        onSelectionChange={(key) => {
          const policy = choices.get(String(key));
          if (policy === undefined) return;
          onAdd(policy);
          setText('');
          setAdded((times) => times + 1);
        }}
        allowsEmptyCollection
        isInvalid={isInvalid}
      >
        <Label className="hidden">Add a policy</Label>
        <div className={styles.box}>
          <Field />
          <AriaButton className={styles.open} aria-label="Show policies">
            <ChevronIcon />
          </AriaButton>
        </div>
        <Popover className={styles.popover} UNSTABLE_portalContainer={root}>
          <ListBox
            className={styles.list}
            renderEmptyState={() => (
              <p className={styles.none}>
                {failed
                  ? 'This could not be read.'
                  : nodes === undefined || isSeeking
                    ? 'Reading…'
                    : open.length > 0
                      ? 'No policy has this in its description.'
                      : 'All policies are chosen.'}
              </p>
            )}
          >
            {(policy: PolicyChoice) => (
              <ListBoxItem id={policy.id} textValue={nameOf(policy)} className={styles.item}>
                {policy.description || <code>{policy.id}</code>} <RuleCount policy={policy} />
              </ListBoxItem>
            )}
          </ListBox>
        </Popover>
      </ComboBox>
      {failed?.error && <Unreadable error={failed.error} retry={failed.reload} />}
    </>
  );
}
