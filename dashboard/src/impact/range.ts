/** Returns the CIDR range for a text: a single address becomes a /32 or /128 range. */
export function rangeOf(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.includes('/')) return trimmed;
  return `${trimmed}/${trimmed.includes(':') ? 128 : 32}`;
}
