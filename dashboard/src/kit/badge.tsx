import type { ReactNode } from 'react';
import styles from './badge.module.css';
import { ChoiceButton, type ChoiceProps } from './choice-button.tsx';
import { ChevronIcon } from './icons.tsx';
import type { Tone } from './notice.tsx';

/** A word or two about a state. Its colour never carries meaning alone. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`${styles.badge} ${styles[tone] ?? ''}`}>{children}</span>;
}

/** A state that a menu changes. `onFocus` is called when it is about to be changed. */
export function BadgeChoice<T extends string>({
  tone,
  ...choice
}: ChoiceProps<T> & { readonly tone: Tone; readonly onFocus?: () => void }) {
  const title = choice.options.find(({ value }) => value === choice.value)?.title;
  return (
    <ChoiceButton
      {...choice}
      name={`${choice.label}: ${title}`}
      className={`${styles.badge} ${styles.choice} ${styles[tone] ?? ''}`}
    >
      {title}
      <ChevronIcon />
    </ChoiceButton>
  );
}
