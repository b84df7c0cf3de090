// Text to copy: configuration lines for other programs, identifiers, API calls.

import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { copyText } from './clipboard.ts';
import styles from './copy.module.css';
import { CheckIcon, CopyIcon } from './icons.tsx';

/** A button that copies a text, and confirms it. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setOutcome] = useState<boolean | null>(null);
  useEffect(() => {
    if (copied === null) return;
    const timer = setTimeout(() => setOutcome(null), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <Button
      look="icon"
      label={copied ? 'Copied' : copied === false ? 'Not copied: select it instead' : `Copy ${label}`}
      onPress={() => void copyText(text).then(setOutcome)}
    >
      {copied ? <CheckIcon /> : <CopyIcon />}
      <span className="hidden" role="status">
        {copied ? 'Copied' : copied === false ? 'Not copied' : ''}
      </span>
    </Button>
  );
}

/**
 * A text to copy.
 *
 * @param label what it is, such as `known_hosts line`
 * @param long whether long lines scroll instead of being wrapped
 */
export function CopyBlock({ text, label, long = false }: { text: string; label: string; long?: boolean }) {
  return (
    <div className={`${styles.block} ${long ? styles.long : ''}`}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard (WCAG 2.2, 2.1.1). */}
      <figure tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </figure>
      <CopyButton text={text} label={label} />
    </div>
  );
}

/** A text to copy, with its name above it. */
export function CopyField({ text, label }: { text: string; label: string }) {
  return (
    <div className={styles.field}>
      <span>{label}</span>
      <CopyBlock text={text} label={label} />
    </div>
  );
}
