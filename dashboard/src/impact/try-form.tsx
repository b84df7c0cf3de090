// "Try an address": the form, with room for the answer.

import { type ReactNode, useEffect, useState } from 'react';
import { Button } from '../kit/button.tsx';
import { TextField } from '../kit/fields.tsx';
import { Answers } from '../kit/notice.tsx';
import { Panel } from '../kit/page.tsx';
import styles from './try-form.module.css';

/**
 * A panel that tries an address.
 *
 * @param description what the answer will say
 * @param address the address that was tried last; empty if none was
 * @param choices further fields next to the address
 * @param children the answer, if there is one
 */
export function TryPanel({
  description,
  address,
  onTry,
  choices,
  children,
}: {
  description: string;
  address: string;
  onTry: (address: string) => void;
  choices?: ReactNode;
  children: ReactNode;
}) {
  const [text, setText] = useState(address);
  // A link may change the address while the page is already open.
  useEffect(() => setText(address), [address]);
  return (
    <Panel title="Try an address" description={description}>
      <div className="stack">
        <form
          className={styles.form}
          onSubmit={(event) => {
            event.preventDefault();
            onTry(text.trim());
          }}
        >
          <TextField label="Address" value={text} onChange={setText} placeholder="203.0.113.7" mono />
          {choices}
          <Button type="submit" isPending={false} isDisabled={text.trim() === ''}>
            Try
          </Button>
        </form>
        <Answers>{children}</Answers>
      </div>
    </Panel>
  );
}
