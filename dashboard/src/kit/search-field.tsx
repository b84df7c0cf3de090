// A field for what somebody looks for: it is told once he has typed it, so that not every key asks the server.

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
}

/** A field for what somebody looks for. */
export function SearchField({ label, value, onChange, placeholder, mono = false }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const told = useRef(value);
  const tell = useRef(onChange);
  tell.current = onChange;
  useEffect(() => {
    // Not what was typed here: somebody has followed a link, gone back, or cleared it.
    if (value !== told.current) setText(value);
    told.current = value;
  }, [value]);
  useEffect(() => {
    const sought = text.trim();
    if (sought === told.current) return;
    const timer = setTimeout(() => {
      told.current = sought;
      tell.current(sought);
    }, settleMs);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <TextField label={label} type="search" value={text} onChange={setText} placeholder={placeholder} mono={mono} />
  );
}
