// The hosts that an edge answers on, one on each line.

import type { Problem } from '../../client/problem.ts';
import { LinesField, sentLines } from '../../kit/fields.tsx';

/** Gives what is wrong with a list that was sent, with the line that is to blame; null if nothing is. */
export function lineErrorOf(problem: Problem | null, field: string, lines: readonly string[]): string | null {
  if (problem?.field == null) return null;
  if (problem.field === field) return problem.message;
  const [, index] = new RegExp(`^${field}\\[(\\d+)\\]$`).exec(problem.field) ?? [];
  if (index === undefined) return null;
  const said = problem.message.replace(`${problem.field}: `, '');
  return `Line ${Number(index) + 1}, ${sentLines(lines)[Number(index)] ?? ''}: ${said}`;
}

/** A field for the hosts of an edge. */
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
      label="Hosts"
      mono
      value={value}
      onChange={onChange}
      isDisabled={isDisabled}
      placeholder="app.example.com:443"
      hint="One on each line, as browsers name it. 443 is added where a port is missing, and a pasted address is cut to its host. *.example.com stands for any one label."
      error={lineErrorOf(problem, 'hostports', value)}
    />
  );
}
