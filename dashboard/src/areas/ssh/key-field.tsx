// A field for the public key of a host, with a description of the key below it.

import { useQuery } from 'urql';
import { problemOf } from '../../client/problem.ts';
import { TextField } from '../../kit/fields.tsx';
import { useSettled } from '../../kit/settled.ts';
import { CheckSshKeyDocument, type CheckSshKeyQuery } from './certificates.generated.ts';
import styles from './key-field.module.css';
import { keyTypes } from './names.ts';

/** The result of checking an entered key. */
export interface KeyCheck {
  /** The key as it is sent; empty if it is not sent. */
  readonly line: string;
  /** Whether the text looks like a private key, in which case it is not sent. */
  readonly isPrivate: boolean;
  /** What the server says about the key; null until it has answered, and if nothing was entered. */
  readonly found: CheckSshKeyQuery['checkSshPublicKey'];
  /** Why the server could not be asked; null if it could. */
  readonly failure: string | null;
}

/** Milliseconds between the last keystroke and the query. */
const typingMs = 250;

/** Checks a key shortly after it was entered. A private key is never sent. */
export function useKeyCheck(text: string): KeyCheck {
  const isPrivate = /PRIVATE KEY/.test(text);
  const line = isPrivate ? '' : text.trim();
  const asked = useSettled(line, typingMs);
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
