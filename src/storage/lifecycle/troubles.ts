// What is wrong with a database, from several sources: it is well only when all of them say so.

/** Creates the function that adds a source. A source tells what is wrong, and null when that is over. */
export function joinTroubles(onTrouble: (message: string | null) => void): () => (message: string | null) => void {
  const troubled = new Set<object>();
  return () => {
    const source = {};
    return (message) => {
      if (message !== null) {
        troubled.add(source);
        onTrouble(message);
      } else if (troubled.delete(source) && troubled.size === 0) {
        onTrouble(null);
      }
    };
  };
}
