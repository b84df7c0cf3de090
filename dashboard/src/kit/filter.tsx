// Filters of lists, as chips.

import { ChoiceButton, type ChoiceProps } from './choice-button.tsx';
import styles from './filter.module.css';
import { ChevronIcon } from './icons.tsx';

/** A chip that narrows or sorts a list. While its first option is chosen, it shows only what it is about. */
export function Filter<T extends string>(props: ChoiceProps<T>) {
  const { label, value, options } = props;
  const chosen = options.findIndex((option) => option.value === value);
  const isSet = chosen > 0;
  return (
    <ChoiceButton {...props} className={`${styles.chip} ${isSet ? styles.set : ''}`}>
      {isSet ? `${label}: ${options[chosen]?.title}` : label}
      <ChevronIcon />
    </ChoiceButton>
  );
}
