// Names in GraphQL and REST: the same words, joined differently. Pure.

/** Converts a name to snake case: `beforeId` becomes `before_id`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
