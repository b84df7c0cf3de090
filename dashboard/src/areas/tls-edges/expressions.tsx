// A field for the expressions of a rule, with the position of errors.

import { LinesField, sentLines } from '../../kit/fields.tsx';
import { Answers } from '../../kit/notice.tsx';
import styles from './policy.module.css';
import type { PolicyProblem } from './rules.ts';

/** Returns the line number, from 1, of an expression, which is counted without empty lines because they are not sent. */
function lineOf(lines: readonly string[], expression: number): number {
  let seen = -1;
  return (
    lines.findIndex((line) => {
      if (line.trim() !== '') seen += 1;
      return seen === expression;
    }) + 1
  );
}

/** An expression, with the position of a problem underlined. */
function Underlined({ text, position, isDoubt }: { text: string; position: number; isDoubt: boolean }) {
  // A position at or beyond the end means that something is missing there.
  const at = Math.min(position, text.length);
  // A warning is about a whole name, such as that of an unknown variable.
  const end = at + Math.max(1, isDoubt ? (/^[\w.]*/.exec(text.slice(at))?.[0].length ?? 0) : 1);
  return (
    <pre className={`${styles.underlined} ${isDoubt ? styles.doubtful : ''}`} aria-hidden="true">
      {text.slice(0, at)}
      <span className={styles.at}>{text.slice(at, end) || ' '}</span>
      {text.slice(end)}
    </pre>
  );
}

/** A field for expressions, one per line. */
export function ExpressionsField({
  value,
  onChange,
  problems,
  isDisabled,
}: {
  value: readonly string[];
  onChange: (value: readonly string[]) => void;
  /** The problems in the expressions of this rule. */
  problems: readonly PolicyProblem[];
  isDisabled: boolean;
}) {
  const sent = sentLines(value);
  const say = ({ expression, message, field }: PolicyProblem) => {
    const bare = field === null ? message : message.replace(`${field}: `, '');
    return expression === null ? bare : `Line ${lineOf(value, expression)}: ${bare}`;
  };
  const errors = problems.filter(({ severity }) => severity === 'error');
  const doubts = problems.filter(({ severity }) => severity === 'warning');
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
        error={errors.length > 0 ? errors.map(say).join(' ') : null}
        isDisabled={isDisabled}
      />
      <Answers>
        {doubts.length > 0 && (
          <p className={styles.doubt}>
            {doubts.map(say).join(' ')} An edge elsewhere may know it: here it is never true.
          </p>
        )}
      </Answers>
      {problems.map(({ expression, position, severity }) => {
        const text = expression === null ? undefined : sent[expression];
        if (text === undefined || position === null) return null;
        const key = `${expression}-${position}`;
        return <Underlined key={key} text={text} position={position} isDoubt={severity === 'warning'} />;
      })}
    </div>
  );
}
