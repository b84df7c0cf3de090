// A field for the policies that decide together about an address: chosen with a search, and kept in order.

import { useState } from 'react';
import { nameOf } from '../client/kinds.ts';
import { useCan } from '../client/rights.ts';
import { Badge } from '../kit/badge.tsx';
import { Button } from '../kit/button.tsx';
import { ChevronIcon, CloseIcon } from '../kit/icons.tsx';
import { Link } from '../kit/link.tsx';
import { moved } from '../kit/moved.ts';
import styles from './policies-field.module.css';
import { PolicyAdder } from './policy-adder.tsx';
import { type PolicyChoice, RuleCount } from './policy-choice.tsx';

/** A field that chooses and orders policies. */
export function PoliciesField({
  value,
  onChange,
  known,
  error,
  isDisabled = false,
}: {
  /** Identifiers of the chosen policies. */
  readonly value: readonly string[];
  readonly onChange: (ids: string[]) => void;
  /** Existing policies that are referred to: any other was deleted. Undefined if the key may not read them. */
  readonly known: readonly PolicyChoice[] | undefined;
  readonly error?: string | null;
  readonly isDisabled?: boolean;
}) {
  const canRead = useCan('ip-policies:read');
  // Policies chosen here, which are not in `known` before they are saved.
  const [picked, setPicked] = useState<readonly PolicyChoice[]>([]);
  const byId = new Map([...picked, ...(known ?? [])].map((policy) => [policy.id, policy]));
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
                <span className={styles.position}>{index + 1}</span>
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
                      look="icon"
                      label={`Move ${name} up`}
                      isDisabled={index === 0}
                      onPress={() => onChange(moved(value, index, -1))}
                    >
                      <span className={styles.up}>
                        <ChevronIcon />
                      </span>
                    </Button>
                    <Button
                      look="icon"
                      label={`Move ${name} down`}
                      isDisabled={index === value.length - 1}
                      onPress={() => onChange(moved(value, index, 1))}
                    >
                      <ChevronIcon />
                    </Button>
                    <Button
                      look="icon"
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
        <PolicyAdder
          chosen={value}
          onAdd={(policy) => {
            setPicked([...picked, policy]);
            onChange([...value, policy.id]);
          }}
          isInvalid={Boolean(error)}
          isOpen={value.length === 0}
        />
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
