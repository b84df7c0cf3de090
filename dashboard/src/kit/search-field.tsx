// A search field that reports its text shortly after the last keystroke or on Enter, so that not every keystroke causes a query.

import { useEffect, useRef, useState } from 'react';
import { TextField } from './fields.tsx';

/** Milliseconds between the last keystroke and the report. */
const settleMs = 300;

interface SearchFieldProps {
  readonly label: string;
  /** The current search. */
  readonly value: string;
  /** Called with the typed text, trimmed. */
  readonly onChange: (value: string) => void;
  readonly placeholder: string;
  readonly mono?: boolean;
  readonly autoFocus?: boolean;
}

/** A search field. */
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
    // The value was not typed here: the user has followed a link, gone back, or cleared the search.
    if (value !== told.current) setText(value);
    told.current = value;
  }, [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change restarts the timer.
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
