// "Try an address": the form, and the place of the answer.

import { type ReactNode, useEffect, useState } from 'react';
import { Button } from '../kit/button.tsx';
import { TextField } from '../kit/fields.tsx';
import { Answers } from '../kit/notice.tsx';
import { Panel } from '../kit/page.tsx';
import styles from './try-form.module.css';

/**
 * A part of a page that tries an address.
 *
 * @param description what of it is told
 * @param address the one that was tried last; empty before
 * @param choices what else is chosen, beside it
 * @param children the answer; nothing before
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
  // A link to another address may lead to the page that is open already.
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
          <Button type="submit" isDisabled={text.trim() === ''}>
            Try
          </Button>
        </form>
        <Answers>{children}</Answers>
      </div>
    </Panel>
  );
}
