// The expressions of a rule, and where reading one of them stopped.

import { LinesField, sentLines } from '../../kit/fields.tsx';
import styles from './policy.module.css';
import type { PolicyProblem } from './rules.ts';

/** Gives the number of the line, from 1, in which an expression stands: empty lines are not sent. */
function lineOf(lines: readonly string[], expression: number): number {
  let seen = -1;
  return (
    lines.findIndex((line) => {
      if (line.trim() !== '') seen += 1;
      return seen === expression;
    }) + 1
  );
}

/** An expression, with the place at fault underlined. */
function Underlined({ text, position }: { text: string; position: number }) {
  // Beyond the end stands what is missing.
  const at = Math.min(position, text.length);
  return (
    <pre className={styles.underlined} aria-hidden="true">
      {text.slice(0, at)}
      <span className={styles.at}>{text.slice(at, at + 1) || ' '}</span>
      {text.slice(at + 1)}
    </pre>
  );
}

/** A field for expressions, one on each line. */
export function ExpressionsField({
  value,
  onChange,
  problems,
  isDisabled,
}: {
  value: readonly string[];
  onChange: (value: readonly string[]) => void;
  /** Those of the expressions of this rule. */
  problems: readonly PolicyProblem[];
  isDisabled: boolean;
}) {
  const sent = sentLines(value);
  const said = problems.map(({ expression, message, field }) => {
    const bare = field === null ? message : message.replace(`${field}: `, '');
    return expression === null ? bare : `Line ${lineOf(value, expression)}: ${bare}`;
  });
  return (
    <div className={styles.expressions}>
      <LinesField
        label="If all of these expressions are true"
        mono
        lines={Math.min(Math.max(value.length, 2), 10)}
        value={value}
        onChange={onChange}
        placeholder="conn.client_ip.startsWith('10.')"
        hint="CEL, one on each line. Without any, the rule is for all connections."
        error={said.length > 0 ? said.join(' ') : null}
        isDisabled={isDisabled}
      />
      {problems.map(({ expression, position }) => {
        const text = expression === null ? undefined : sent[expression];
        if (text === undefined || position === null) return null;
        return <Underlined key={`${expression}-${position}`} text={text} position={position} />;
      })}
    </div>
  );
}
