// The hosts of an edge, one on each line.

import type { Problem } from '../client/problem.ts';
import { Badge } from './badge.tsx';
import { LinesField, sentLines } from './fields.tsx';
import { lineErrorOf } from './form.tsx';

/**
 * Normalizes hosts as people write or paste them: lowercases them, cuts a URL down to its host and port, and adds the port of the
 * scheme (443 if there is none) if no port is given. Validation is left to the server.
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

/** Number of hosts that are shown by name. */
const shownMax = 2;

/** The hosts of an edge: the first few by name, and the number of others. */
export function Hostports({ of: { hostports } }: { of: { readonly hostports: readonly string[] } }) {
  if (hostports.length === 0) return <Badge tone="caution">no hosts yet</Badge>;
  const more = hostports.length - shownMax;
  return (
    <span>
      <span className="mono">{hostports.slice(0, shownMax).join(', ')}</span>
      {more > 0 && <span className="muted"> and {more} more</span>}
    </span>
  );
}
