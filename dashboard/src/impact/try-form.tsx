// The form of "Try an address".

import { type ReactNode, useEffect, useState } from 'react';
import { Button } from '../kit/button.tsx';
import { TextField } from '../kit/fields.tsx';
import styles from './try-form.module.css';

/**
 * A form for an address to try.
 *
 * @param children what else is chosen, beside it
 */
export function TryForm({
  address,
  onTry,
  children,
}: {
  address: string;
  onTry: (address: string) => void;
  children?: ReactNode;
}) {
  const [text, setText] = useState(address);
  // A link to another address may lead to the page that is open already.
  useEffect(() => setText(address), [address]);
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        onTry(text.trim());
      }}
    >
      <TextField label="Address" value={text} onChange={setText} placeholder="203.0.113.7" mono />
      {children}
      <Button type="submit" isDisabled={text.trim() === ''}>
        Try
      </Button>
    </form>
  );
}
