// The policy that is added to a restriction: found as somebody types. It weighs more than the rest of the page.

import { useState } from 'react';
import { Button as AriaButton } from 'react-aria-components/Button';
import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components/ComboBox';
import { useData, usePages } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import { root } from '../../kit/door.ts';
import { ChevronIcon } from '../../kit/icons.tsx';
import { useSettled } from '../../kit/settled.ts';
import { FindPoliciesDocument, PolicyChoicesDocument } from './ip-restrictions.generated.ts';
import styles from './policies-field.module.css';
import { type PolicyChoice, RuleCount } from './policy-choice.tsx';

/** Adds policies, one after the other. */
export default function AddPolicy({
  chosen,
  onAdd,
  isInvalid,
  autoFocus,
}: {
  /** Identifiers of those that are chosen already. */
  readonly chosen: readonly string[];
  readonly onAdd: (policy: PolicyChoice) => void;
  readonly isInvalid: boolean;
  readonly autoFocus: boolean;
}) {
  const { nodes, hasMore } = usePages(PolicyChoicesDocument, {}, (data) => data.ipPolicies, [
    'IpPolicy',
    'IpPolicyRule',
  ]);
  const [text, setText] = useState('');
  const [added, setAdded] = useState(0);
  const wanted = text.trim().toLowerCase();
  const asked = useSettled(wanted);
  // Of more policies than a page of them has, the server finds the others.
  const search = useData(FindPoliciesDocument, { text: asked }, ['IpPolicy'], !hasMore || asked === '');
  const hits = asked === '' || !hasMore ? [] : (search.data?.search ?? []);
  const choices = new Map<string, PolicyChoice>();
  for (const policy of nodes ?? []) choices.set(policy.id, policy);
  for (const { node } of hits) if ('rules' in node) choices.set(node.id, node);
  const open = [...choices.values()].filter(({ id }) => !chosen.includes(id));
  const found = open.filter(
    ({ id, description }) =>
      `${description}\n${id}`.toLowerCase().includes(wanted) || hits.some(({ node }) => node.id === id),
  );
  return (
    <ComboBox
      // Begins anew after each choice: its list is closed, and the next policy can be typed.
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
        <Input className={styles.input} placeholder="Add a policy: search by description" />
        <AriaButton className={styles.open} aria-label="Show policies">
          <ChevronIcon />
        </AriaButton>
      </div>
      <Popover className={styles.popover} UNSTABLE_portalContainer={root}>
        <ListBox
          className={styles.list}
          renderEmptyState={() => (
            <p className={styles.none}>
              {nodes === undefined
                ? 'Reading…'
                : open.length > 0
                  ? 'No policy has this in its description.'
                  : choices.size > 0
                    ? 'All policies are chosen.'
                    : 'There are no policies yet.'}
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
  );
}
