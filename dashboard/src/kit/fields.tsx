// Form fields, each with a label, a hint and an error.

import { type ChangeEvent, type ReactNode, useId } from 'react';
import styles from './fields.module.css';
import { CheckIcon } from './icons.tsx';

/** Properties of every field. */
interface FieldProps<T> {
  readonly label: string;
  readonly value: T;
  readonly onChange: (value: T) => void;
  /** What the field is for, and its format. */
  readonly hint?: ReactNode;
  /** The error; null if there is none. */
  readonly error?: string | null | undefined;
  readonly isDisabled?: boolean;
  readonly isRequired?: boolean;
}

/** Further properties of text fields. */
interface TextFieldProps extends FieldProps<string> {
  readonly placeholder?: string;
  /** Number of visible lines, for a multi-line field. */
  readonly lines?: number;
  /** Whether the value is code, such as an address, a key or an expression. */
  readonly mono?: boolean;
  readonly type?: 'text' | 'password' | 'search' | 'number' | 'datetime-local';
  readonly autoFocus?: boolean;
  readonly autoComplete?: string;
}

/** A text field with one or more lines. */
export function TextField({
  label,
  value,
  onChange,
  hint,
  error,
  isDisabled = false,
  isRequired = false,
  placeholder,
  lines,
  mono = false,
  type = 'text',
  autoFocus = false,
  autoComplete = 'off',
}: TextFieldProps) {
  const id = useId();
  const notes = [hint === undefined ? '' : `${id}-hint`, error ? `${id}-error` : ''].join(' ').trim();
  const shared = {
    id,
    value,
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => onChange(event.target.value),
    disabled: isDisabled,
    placeholder,
    autoFocus,
    autoComplete,
    className: `${styles.input} ${mono ? styles.mono : ''}`,
    spellCheck: !mono && type === 'text',
    // Not `required`: the browser would show its own message in its own place, and the form already shows one next to the field.
    'aria-required': isRequired || undefined,
    'aria-invalid': error ? true : undefined,
    'aria-describedby': notes || undefined,
  };
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {lines === undefined ? <input {...shared} type={type} /> : <textarea {...shared} rows={lines} />}
      {hint !== undefined && (
        <span id={`${id}-hint`} className={styles.hint}>
          {hint}
        </span>
      )}
      {error && (
        <span id={`${id}-error`} className={styles.error}>
          {error}
        </span>
      )}
    </div>
  );
}

/** A choice of one value: a native `select`, which every phone and screen reader handles well. */
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
  const note = error || hint;
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
        aria-describedby={note ? `${id}-note` : undefined}
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
      {note && (
        <span id={`${id}-note`} className={error ? styles.error : styles.hint}>
          {note}
        </span>
      )}
    </div>
  );
}

/** Properties of a switch or checkbox. */
type ChoiceProps = Omit<FieldProps<boolean>, 'error' | 'isRequired'>;

/** A native checkbox for the keyboard and screen readers, visually hidden; `children` are its visible form. */
function Choice({
  role,
  label,
  value,
  onChange,
  hint,
  isDisabled = false,
  children,
}: ChoiceProps & { readonly role?: 'switch'; readonly children: ReactNode }) {
  return (
    <label className={styles.choice}>
      <input
        type="checkbox"
        role={role}
        className="hidden"
        checked={value}
        disabled={isDisabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      {children}
      <span>
        {label}
        {hint !== undefined && <span className={styles.hint}> {hint}</span>}
      </span>
    </label>
  );
}

/** An on/off switch. */
export function Switch(props: ChoiceProps) {
  return (
    <Choice {...props} role="switch">
      <span className={styles.track} />
    </Choice>
  );
}

/** A checkbox. */
export function Checkbox(props: ChoiceProps) {
  return (
    <Choice {...props}>
      <span className={styles.box}>
        <CheckIcon />
      </span>
    </Choice>
  );
}

/** A field for several texts, one per line, such as hosts or groups. */
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

/** Returns the lines of a `LinesField` as they are sent: trimmed, and without empty lines. */
export function sentLines(lines: readonly string[]): string[] {
  return lines.map((line) => line.trim()).filter((line) => line !== '');
}
