// A traffic policy as JSON, for users who already have one.

import { useState } from 'react';
import { TextField } from '../../kit/fields.tsx';
import { Answers } from '../../kit/notice.tsx';
import styles from './policy.module.css';
import { type PolicyDraft, type PolicyProblem, readPolicy, sentPolicy } from './rules.ts';

/** A field with the whole policy as JSON. Text that is not a valid policy stays in the field but does not change the draft. */
export default function PolicyJson({
  policy,
  problems,
  onChange,
  isDisabled,
}: {
  policy: PolicyDraft;
  problems: readonly PolicyProblem[];
  onChange: (policy: PolicyDraft) => void;
  isDisabled: boolean;
}) {
  const written = JSON.stringify(sentPolicy(policy), null, 2);
  const [typed, setTyped] = useState({ text: written, of: written });
  // If the policy was changed elsewhere, by somebody else or by "Discard", it replaces the typed text.
  const text = typed.of === written ? typed.text : written;
  const read = readPolicy(text, policy.enabled);
  return (
    <>
      <TextField
        label="Policy as JSON"
        mono
        lines={Math.min(Math.max(text.split('\n').length, 8), 30)}
        value={text}
        onChange={(value) => {
          const changed = readPolicy(value, policy.enabled);
          if (typeof changed === 'string') return setTyped({ text: value, of: written });
          setTyped({ text: value, of: JSON.stringify(sentPolicy(changed), null, 2) });
          onChange(changed);
        }}
        hint="In the form of the API. It is the same policy as the rules show."
        error={typeof read === 'string' ? read : null}
        isDisabled={isDisabled}
      />
      <Answers>
        {problems.map(({ field, message, severity }) => (
          <p key={`${field}${message}`} className={severity === 'error' ? styles.error : styles.doubt}>
            {/* Some messages already start with the field. */}
            {field !== null && !message.startsWith(field) && <code>{field}: </code>}
            {message}
            {severity === 'warning' && ' It can be saved all the same.'}
          </p>
        ))}
      </Answers>
    </>
  );
}
