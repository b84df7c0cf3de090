// The entity tags that a client names in a condition, in `If-Match` or `If-None-Match`. Pure.

/** An entry of the list (RFC 9110, sections 5.6.1 and 8.8.3), which may be empty, and the comma or the end after it. */
const entry = /[ \t]*(?:(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(?:,|$)/y;

/**
 * Reads a list of entity tags, without their quotes. Weak ones are not told apart: all that we give are strong, so a weak one is ours
 * that a proxy has weakened when it compressed the answer, and still stands for the same state.
 *
 * @returns null if the list is malformed or has no tag
 */
export function readEntityTags(header: string): string[] | null {
  const tags: string[] = [];
  for (entry.lastIndex = 0; entry.lastIndex < header.length; ) {
    const found = entry.exec(header);
    if (found === null) return null;
    if (found[1] !== undefined) tags.push(found[1]);
  }
  return tags.length === 0 ? null : tags;
}
