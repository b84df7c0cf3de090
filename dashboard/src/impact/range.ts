/** Gives the range that a text names: an address alone is the range of this address. */
export function rangeOf(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.includes('/')) return trimmed;
  return `${trimmed}/${trimmed.includes(':') ? 128 : 32}`;
}
