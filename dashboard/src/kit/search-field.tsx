// A field for what somebody looks for: it is told a moment after the last key, or by Enter, so that not every key asks the server.

import { useEffect, useRef, useState } from 'react';
import { TextField } from './fields.tsx';

/** Milliseconds after the last key until what was typed is told. */
const settleMs = 300;

/** What the field needs. */
interface SearchFieldProps {
  readonly label: string;
  /** What is looked for. */
  readonly value: string;
  /** Told what was typed, without blanks around it. */
  readonly onChange: (value: string) => void;
  readonly placeholder: string;
  readonly mono?: boolean;
  readonly autoFocus?: boolean;
}

/** A field for what somebody looks for. */
export function SearchField({ value, onChange, ...field }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const told = useRef(value);
  const sought = text.trim();
  const tell = () => {
    if (sought === told.current) return;
    told.current = sought;
    onChange(sought);
  };
  const latest = useRef(tell);
  latest.current = tell;
  useEffect(() => {
    // Not what was typed here: somebody has followed a link, gone back, or cleared it.
    if (value !== told.current) setText(value);
    told.current = value;
  }, [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each key that changes it begins the moment anew.
  useEffect(() => {
    const timer = setTimeout(() => latest.current(), settleMs);
    return () => clearTimeout(timer);
  }, [sought]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        tell();
      }}
    >
      <TextField {...field} type="search" value={text} onChange={setText} />
    </form>
  );
}
