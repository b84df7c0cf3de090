// The public key of a host: what it is stands below it as soon as it is there.

import { useEffect, useState } from 'react';
import { useQuery } from 'urql';
import { problemOf } from '../../client/problem.ts';
import { TextField } from '../../kit/fields.tsx';
import { CheckSshKeyDocument, type CheckSshKeyQuery } from './certificates.generated.ts';
import styles from './key-field.module.css';
import { keyTypes } from './names.ts';

/** What is known of a key that was entered. */
export interface KeyCheck {
  /** The key as it is sent; empty where it is not. */
  readonly line: string;
  /** Whether it is a private key, or looks like one: it has not been sent. */
  readonly isPrivate: boolean;
  /** What the server says of it; null until then, and where nothing was entered. */
  readonly found: CheckSshKeyQuery['checkSshPublicKey'];
  /** Why the server could not be asked; null where it could. */
  readonly failure: string | null;
}

/** Milliseconds after the last key before the server is asked. */
const typingMs = 250;

/** Finds out what a key is, a moment after it was entered. A private one is never sent. */
export function useKeyCheck(text: string): KeyCheck {
  const isPrivate = /PRIVATE KEY/.test(text);
  const line = isPrivate ? '' : text.trim();
  const [asked, setAsked] = useState(line);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(line), typingMs);
    return () => clearTimeout(timer);
  }, [line]);
  const [{ data, error }] = useQuery({
    query: CheckSshKeyDocument,
    variables: { publicKey: asked },
    pause: asked === '',
  });
  const isCurrent = asked === line && line !== '';
  return {
    line,
    isPrivate,
    found: (isCurrent && data?.checkSshPublicKey) || null,
    failure: isCurrent && error ? problemOf(error).message : null,
  };
}

/** A field for a public key. */
export function KeyField({
  check,
  value,
  onChange,
  error,
}: {
  check: KeyCheck;
  value: string;
  onChange: (value: string) => void;
  error: string | null;
}) {
  const { found, isPrivate, failure } = check;
  const wrong = isPrivate
    ? 'This is a private key. It has not been sent: paste the line of the file whose name ends in .pub.'
    : found?.error
      ? `The key ${found.error}`
      : (failure ?? error);
  return (
    <div className={styles.key}>
      <TextField
        label="Public key of the host"
        value={value}
        onChange={onChange}
        hint={
          <>
            The line in <code>/etc/ssh/ssh_host_ed25519_key.pub</code> on the host.
          </>
        }
        placeholder="ssh-ed25519 AAAA…"
        error={wrong}
        lines={3}
        mono
        autoFocus
      />
      <p role="status" className={styles.found}>
        {found?.keyType && (
          <>
            <strong>
              {keyTypes[found.keyType]}, {found.bits} bits
            </strong>{' '}
            <span className="mono">{found.fingerprint}</span>
            {found.comment !== null && <span className="muted"> {found.comment}</span>}
          </>
        )}
      </p>
    </div>
  );
}
