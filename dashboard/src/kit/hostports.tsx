// The hosts of an edge, one on each line.

import type { Problem } from '../client/problem.ts';
import { LinesField, sentLines } from './fields.tsx';
import { lineErrorOf } from './form.tsx';

/**
 * Reads hosts as people write or paste them. One without a port gets that of its scheme, and a URL is cut down to what an edge
 * compares; everything else stays as it is, and the server says what is wrong with it.
 */
export function readHostports(lines: readonly string[]): string[] {
  return sentLines(lines).map((line) => {
    const [, scheme, ofUrl] = /^([a-z][a-z\d+.-]*):\/\/(?:[^/?#]*@)?([^/?#]+)/i.exec(line) ?? [];
    const host = (ofUrl ?? line).toLowerCase();
    return host.includes(':') ? host : `${host}:${scheme?.toLowerCase() === 'http' ? 80 : 443}`;
  });
}

/** A field for the hosts of an edge. */
export function HostportsField({
  label,
  value,
  onChange,
  placeholder,
  problem,
  isDisabled = false,
}: {
  label: string;
  value: readonly string[];
  onChange: (value: readonly string[]) => void;
  placeholder: string;
  problem: Problem | null;
  isDisabled?: boolean;
}) {
  return (
    <LinesField
      label={label}
      mono
      value={value}
      onChange={onChange}
      isDisabled={isDisabled}
      placeholder={placeholder}
      hint="One on each line. 443 is added where a port is missing, and a pasted address is cut to its host. *.example.com stands for any one label."
      error={lineErrorOf(problem, 'hostports', value)}
    />
  );
}
