// Who gets which role, as lines of text: one for each mapping.

/** A mapping as the server has it. */
export interface Mapping {
  readonly group: string | null;
  readonly email: string | null;
  readonly everybody: boolean;
  readonly role: string;
}

export const mappingsHint =
  'One on each line: “operator = group /operations”, “owner = email ada@example.com” or “viewer = everybody”. Whoever gets no role is not let in.';

/** Writes mappings as lines. */
export const linesOf = (mappings: readonly Mapping[]): string[] =>
  mappings.map(({ group, email, everybody, role }) => {
    if (everybody) return `${role} = everybody`;
    return group === null ? `${role} = email ${email}` : `${role} = group ${group}`;
  });

/** Reads mappings from lines; null if one of them is none. */
export function mappingsOf(lines: readonly string[]): Mapping[] | null {
  const mappings = lines.filter((line) => line.trim() !== '').map(readLine);
  const read = mappings.filter((mapping) => mapping !== null);
  return read.length === mappings.length ? read : null;
}

function readLine(line: string): Mapping | null {
  const [, role, kind, name = ''] = /^\s*([\w-]+)\s*=\s*(group|email|everybody)\s*(.*?)\s*$/.exec(line) ?? [];
  if (role === undefined || (kind === 'everybody') !== (name === '')) return null;
  return {
    group: kind === 'group' ? name : null,
    email: kind === 'email' ? name : null,
    everybody: kind === 'everybody',
    role,
  };
}

/** Returns what is wrong with lines; null if nothing is. */
export function mappingsError(lines: readonly string[]): string | null {
  return mappingsOf(lines) === null ? `A line is no mapping. ${mappingsHint}` : null;
}
