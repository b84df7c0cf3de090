// Fields of forms: each with its name, what it is for, and what is wrong with it.

import { type ReactNode, useId } from 'react';
import { Checkbox as AriaCheckbox } from 'react-aria-components/Checkbox';
import { Switch as AriaSwitch } from 'react-aria-components/Switch';
import { TextField as AriaTextField, FieldError, Input, Label, Text, TextArea } from 'react-aria-components/TextField';
import styles from './fields.module.css';
import { CheckIcon } from './icons.tsx';

/** What every field takes. */
interface FieldProps<T> {
  readonly label: string;
  readonly value: T;
  readonly onChange: (value: T) => void;
  /** What it is for, and in which form. */
  readonly hint?: ReactNode;
  /** What is wrong with it; null if nothing is. */
  readonly error?: string | null | undefined;
  readonly isDisabled?: boolean;
  readonly isRequired?: boolean;
}

/** What fields for text take beyond that. */
interface TextFieldProps extends FieldProps<string> {
  readonly placeholder?: string;
  /** Lines of a field for more than one. */
  readonly lines?: number;
  /** Whether it is code: an address, a key, an expression. */
  readonly mono?: boolean;
  readonly type?: 'text' | 'password' | 'search' | 'number' | 'datetime-local';
  readonly autoFocus?: boolean;
  readonly autoComplete?: string;
}

/** A field for text, of one line or more. */
export function TextField(props: TextFieldProps) {
  const { label, hint, error, placeholder, lines, mono = false, type = 'text', autoComplete = 'off', ...rest } = props;
  const classes = `${styles.input} ${mono ? styles.mono : ''}`;
  const shared = { className: classes, spellCheck: !mono && type === 'text' };
  return (
    <AriaTextField
      {...rest}
      type={type}
      autoComplete={autoComplete}
      isInvalid={Boolean(error)}
      // What the server has said must not keep a form from being sent again, as the browser's own validation would.
      validationBehavior="aria"
      className={styles.field}
    >
      <Label className={styles.label}>{label}</Label>
      {lines === undefined ? (
        <Input {...shared} placeholder={placeholder} />
      ) : (
        <TextArea {...shared} rows={lines} placeholder={placeholder} />
      )}
      {hint !== undefined && (
        <Text slot="description" className={styles.hint}>
          {hint}
        </Text>
      )}
      <FieldError className={styles.error}>{error}</FieldError>
    </AriaTextField>
  );
}

/** One of a few values: the browser's own, which every phone and screen reader knows. */
export function SelectField<T extends string>({
  label,
  value,
  onChange,
  hint,
  error,
  isDisabled,
  options,
}: FieldProps<T> & { readonly options: readonly { readonly value: T; readonly title: string }[] }) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      <select
        id={id}
        className={styles.input}
        value={value}
        disabled={isDisabled}
        aria-invalid={Boolean(error)}
        aria-describedby={`${id}-hint`}
        onChange={(event) => {
          const chosen = options.find((option) => option.value === event.target.value);
          if (chosen !== undefined) onChange(chosen.value);
        }}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.title}
          </option>
        ))}
      </select>
      <span id={`${id}-hint`} className={error ? styles.error : styles.hint}>
        {error || hint}
      </span>
    </div>
  );
}

/** Something that is on or off. */
export function Switch({ label, value, onChange, hint, isDisabled }: Omit<FieldProps<boolean>, 'error'>) {
  return (
    <AriaSwitch isSelected={value} onChange={onChange} isDisabled={isDisabled} className={styles.choice}>
      <span className={styles.track} />
      <span>
        {label}
        {hint !== undefined && <span className={styles.hint}> {hint}</span>}
      </span>
    </AriaSwitch>
  );
}

/** Something that is chosen or not. */
export function Checkbox({ label, value, onChange, hint, isDisabled }: Omit<FieldProps<boolean>, 'error'>) {
  return (
    <AriaCheckbox isSelected={value} onChange={onChange} isDisabled={isDisabled} className={styles.choice}>
      <span className={styles.box}>
        <CheckIcon />
      </span>
      <span>
        {label}
        {hint !== undefined && <span className={styles.hint}> {hint}</span>}
      </span>
    </AriaCheckbox>
  );
}

/** Several texts, each on a line of its own, such as hosts or groups. */
export function LinesField(
  props: Omit<TextFieldProps, 'value' | 'onChange' | 'type'> & {
    readonly value: readonly string[];
    readonly onChange: (value: readonly string[]) => void;
  },
) {
  const { value, onChange, lines = 3, ...rest } = props;
  return (
    <TextField
      {...rest}
      lines={lines}
      value={value.join('\n')}
      onChange={(text) => onChange(text === '' ? [] : text.split('\n'))}
    />
  );
}

/** Gives the texts of a `LinesField` as they are sent: without blanks around them, and without empty lines. */
export function sentLines(lines: readonly string[]): string[] {
  return lines.map((line) => line.trim()).filter((line) => line !== '');
}
