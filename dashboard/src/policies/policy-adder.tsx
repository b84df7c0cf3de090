// The button that adds an IP policy to something, and the search field that replaces it.

import { useState } from 'react';
import { Button } from '../kit/button.tsx';
import { later } from '../kit/later.tsx';
import { Loading } from '../kit/notice.tsx';
import type { PolicyChoice } from './policy-choice.tsx';

/** Loaded on demand, because it weighs as much as a page. */
const AddPolicy = later(
  () => import('./add-policy.tsx'),
  () => <Loading />,
);

/** Adds IP policies, one at a time. */
export function PolicyAdder({
  chosen,
  onAdd,
  isInvalid = false,
  isOpen: isOpenAtFirst = false,
}: {
  /** Identifiers of the policies that are already chosen. */
  readonly chosen: readonly string[];
  readonly onAdd: (policy: PolicyChoice) => void;
  readonly isInvalid?: boolean;
  /** Whether the search field is there at first. */
  readonly isOpen?: boolean;
}) {
  const [wasOpen] = useState(isOpenAtFirst);
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  if (isOpen) return <AddPolicy chosen={chosen} onAdd={onAdd} isInvalid={isInvalid} autoFocus={!wasOpen} />;
  return (
    <div>
      <Button onPointerEnter={AddPolicy.load} onFocus={AddPolicy.load} onPress={() => setOpen(true)}>
        Add a policy
      </Button>
    </div>
  );
}
