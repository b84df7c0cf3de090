// The hosts and ports of an edge, one on each line.

import type { Problem } from '../../client/problem.ts';
import { LinesField, sentLines } from '../../kit/fields.tsx';

/** Reads hosts as people write them: in lower case, and with the port of TLS where none is given. */
export function readHostports(lines: readonly string[]): string[] {
  return sentLines(lines).map((line) => {
    const host = line.toLowerCase();
    return host.includes(':') ? host : `${host}:443`;
  });
}

/** Says what is wrong with one of the lines; null if nothing is. */
function lineError(problem: Problem | null, lines: readonly string[]): string | null {
  const field = problem?.field ?? '';
  if (problem === null || !field.startsWith('hostports')) return null;
  const said = problem.message.replace(`${field}: `, '');
  const index = /^hostports\[(\d+)\]$/.exec(field)?.[1];
  return index === undefined ? said : `Line ${Number(index) + 1}, ${sentLines(lines)[Number(index)] ?? ''}: ${said}`;
}

/** A field for them. */
export function HostportsField({
  value,
  onChange,
  problem,
  isDisabled = false,
}: {
  value: readonly string[];
  onChange: (value: readonly string[]) => void;
  problem: Problem | null;
  isDisabled?: boolean;
}) {
  return (
    <LinesField
      label="Hosts and ports"
      mono
      lines={2}
      value={value}
      onChange={onChange}
      isDisabled={isDisabled}
      placeholder="db.example.com:5432"
      hint="One on each line; 443 is added where a port is missing. *.example.com stands for any one label."
      error={lineError(problem, value)}
    />
  );
}
