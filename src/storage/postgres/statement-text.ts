// Statements as text.

/** Writes a statement with its values, for tests and debugging: never for a log. */
export function withValues(sql: string, args: readonly unknown[]): string {
  return sql.replace(/\$(\d+)/g, (_, number) => literal(args[Number(number) - 1]));
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (Array.isArray(value)) return `ARRAY[${value.map(literal).join(', ')}]`;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString('hex')}'`;
  return `'${(value instanceof Date ? value.toISOString() : String(value)).replaceAll("'", "''")}'`;
}
