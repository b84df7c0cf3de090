// The policies of a restriction: chosen from a list that is searched, in an order that is kept.

import { useState } from 'react';
import { Button as AriaButton } from 'react-aria-components/Button';
import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components/ComboBox';
import { Link } from 'react-aria-components/Link';
import { useData, usePages } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import { useCan } from '../../client/rights.ts';
import { count } from '../../impact/words.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { ChevronIcon, CloseIcon } from '../../kit/icons.tsx';
import { useSettled } from '../../kit/settled.ts';
import { FindPoliciesDocument, PolicyChoicesDocument } from './ip-restrictions.generated.ts';
import styles from './policies-field.module.css';

/** A policy that can be chosen. */
export interface PolicyChoice {
  readonly id: string;
  readonly description: string;
  readonly rules: { readonly totalCount: number };
}

/** Moves an element of a list up (-1) or down (1). */
function moved(ids: readonly string[], from: number, by: -1 | 1): string[] {
  const after = [...ids];
  const [one] = after.splice(from, 1);
  if (one !== undefined) after.splice(from + by, 0, one);
  return after;
}

/** How many rules a policy has. */
function RuleCount({ policy }: { policy: PolicyChoice }) {
  const { totalCount } = policy.rules;
  if (totalCount === 0) return <Badge tone="caution">No rules</Badge>;
  return <span className={styles.count}>{count(totalCount, 'rule')}</span>;
}

/** Chooses policies. */
export default function PoliciesField({
  value,
  onChange,
  known,
  error,
  isDisabled = false,
}: {
  /** Identifiers of the chosen ones. */
  readonly value: readonly string[];
  readonly onChange: (ids: string[]) => void;
  /** Policies that the restriction refers to and that exist: another one was deleted. Undefined where the key may not read them. */
  readonly known: readonly PolicyChoice[] | undefined;
  readonly error?: string | null;
  readonly isDisabled?: boolean;
}) {
  const { nodes, hasMore } = usePages(PolicyChoicesDocument, {}, (data) => data.ipPolicies, [
    'IpPolicy',
    'IpPolicyRule',
  ]);
  const canRead = useCan('ip-policies:read');
  const [text, setText] = useState('');
  const [added, setAdded] = useState(0);
  const wanted = text.trim().toLowerCase();
  const asked = useSettled(wanted);
  // Of more policies than a page of them has, the server finds the others.
  const search = useData(FindPoliciesDocument, { text: asked }, ['IpPolicy'], !hasMore || asked === '');
  const hits = asked === '' || !hasMore ? [] : (search.data?.search ?? []);
  // Those that were chosen stay known when something else is searched for.
  const [picked, setPicked] = useState<readonly PolicyChoice[]>([]);
  const choices = new Map<string, PolicyChoice>();
  for (const policy of [...picked, ...(nodes ?? [])]) choices.set(policy.id, policy);
  for (const { node } of hits) if ('rules' in node) choices.set(node.id, node);
  const byId = new Map([...(known ?? []), ...choices.values()].map((policy) => [policy.id, policy]));
  const open = [...choices.values()].filter(({ id }) => !value.includes(id));
  const found = open.filter(
    ({ id, description }) =>
      `${description}\n${id}`.toLowerCase().includes(wanted) || hits.some(({ node }) => node.id === id),
  );
    return (
    <div className={styles.field}>
      <span className={styles.label}>Policies</span>
      {value.length > 0 && (
        <ol className={styles.chosen} aria-label="Chosen policies">
          {value.map((id, index) => {
            const policy = byId.get(id);
            const name = nameOf(policy ?? { id });
            return (
              <li key={id}>
                <span className={styles.place}>{index + 1}</span>
                <span className={styles.name}>
                  {policy ? (
                    <>
                      <Link href={`/ip-policies/${id}`}>{name}</Link> <RuleCount policy={policy} />
                    </>
                  ) : (
                    <>
                      <code>{id}</code> {known && <Badge tone="bad">Deleted</Badge>}
                    </>
                  )}
                </span>
                {!isDisabled && (
                  <span className={styles.buttons}>
                    <Button
                      look="plain"
                      label={`Move ${name} up`}
                      isDisabled={index === 0}
                      onPress={() => onChange(moved(value, index, -1))}
                    >
                      <span className={styles.up}>
                        <ChevronIcon />
                      </span>
                    </Button>
                    <Button
                      look="plain"
                      label={`Move ${name} down`}
                      isDisabled={index === value.length - 1}
                      onPress={() => onChange(moved(value, index, 1))}
                    >
                      <ChevronIcon />
                    </Button>
                    <Button
                      look="plain"
                      label={`Remove ${name}`}
                      onPress={() => onChange(value.filter((other) => other !== id))}
                    >
                      <CloseIcon />
                    </Button>
                  </span>
                )}
              </li>
            );
          })}
        </ol>
      )}
      {!isDisabled && canRead && (
        <ComboBox
          // Begins anew after each choice: its list is closed, and the next policy can be typed.
          key={added}
          autoFocus={added > 0}
          className={styles.combo}
          items={found}
          inputValue={text}
          onInputChange={setText}
          selectedKey={null}
          onSelectionChange={(key) => {
            if (key === null) return;
            const chosen = choices.get(String(key));
            if (chosen === undefined) return;
            setPicked([...picked, chosen]);
            onChange([...value, chosen.id]);
            setText('');
            setAdded((times) => times + 1);
          }}
          allowsEmptyCollection
          isInvalid={Boolean(error)}
        >
          <Label className="hidden">Add a policy</Label>
          <div className={styles.box}>
            <Input className={styles.input} placeholder="Add a policy: search by description" />
            <AriaButton className={styles.open} aria-label="Show policies">
              <ChevronIcon />
            </AriaButton>
          </div>
          <Popover className={styles.popover}>
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
      )}
      {error ? (
        <span className={styles.error} role="alert">
          {error}
        </span>
      ) : (
        <span className={styles.hint}>
          An address passes if one of them allows it and none of them denies it. A policy without rules allows nobody.
        </span>
      )}
    </div>
  );
}
