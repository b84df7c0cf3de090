// Records what writers know about their objects: the acknowledged content and, after an interrupted request, the content that it
// would have led to. A server that keeps its promises shows one of the two, and nothing in between.

import type { TortureClient } from './client.ts';
import type { Broken } from './report.ts';

/** The fields of an object that a writer has set, as REST shows them; null for an object that does not exist. */
export type Content = Readonly<Record<string, unknown>> | null;

/** One object of a writer. */
export interface Entry {
  readonly path: string;
  readonly id: string;
  /** The contents that a read may show: more than one only after an interrupted request. */
  states: Content[];
  /** The round in which it was last written. */
  round: number;
}

/** Where to look for objects whose creation was not acknowledged. */
export interface Search {
  readonly collections: readonly string[];
  /** Number of pages to read of each collection, newest first. */
  readonly pages: number;
  readonly round: number;
}

/** All objects of a run. */
export class Ledger {
  readonly entries: Entry[] = [];
  /** The content of objects whose creation was never answered, by the tag in their description. */
  readonly unanswered = new Map<string, Content>();
  acknowledged = 0;

  /** Returns the content of an object as far as it is certain. */
  static known(entry: Entry): Content {
    return entry.states[0] ?? null;
  }

  /**
   * Compares the objects with what the server shows now, which counts as certain from then on.
   *
   * @returns the number of objects compared
   */
  async verify(client: TortureClient, entries: readonly Entry[], broken: Broken): Promise<number> {
    const waiting = [...entries];
    const work = async () => {
      for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
        const answer = await client.rest('GET', entry.path);
        const shown = answer.status === 404 ? null : answer.body;
        if (answer.status !== 200 && answer.status !== 404) {
          broken.add(
            'an object cannot be read',
            `${entry.path} answers ${answer.status} ${JSON.stringify(answer.body)}`,
          );
          continue;
        }
        const found = entry.states.find((state) => matches(shown, state));
        if (found === undefined) {
          const kind = entry.states.length === 1 ? 'an acknowledged write is lost' : 'half of a write is there';
          broken.add(kind, `${entry.path} shows ${JSON.stringify(shown)}, not one of ${JSON.stringify(entry.states)}`);
        }
        // Null is a valid state, too: that of an object whose deletion was done, but not answered.
        entry.states = [found === undefined ? Ledger.known(entry) : found];
      }
    };
    await Promise.all(Array.from({ length: 16 }, work));
    return entries.length;
  }

  /**
   * Checks the objects whose creation was never answered: each must be there completely, or not at all. Those found are compared
   * from then on, like all others.
   *
   * @returns the number of objects found
   */
  async verifyUnanswered(client: TortureClient, { collections, pages, round }: Search, broken: Broken) {
    const known = new Set(this.entries.map(({ id }) => id));
    let found = 0;
    for (const collection of collections) {
      let next: string | null = `${collection}?limit=100`;
      for (let page = 0; next !== null && page < pages; page += 1) {
        const { status, body } = await client.rest('GET', next);
        if (status !== 200) {
          broken.add('a list cannot be read', `${next} answers ${status} ${JSON.stringify(body)}`);
          break;
        }
        // The list is the only array in its envelope.
        const objects = Object.values(body).find(Array.isArray) ?? [];
        for (const object of objects.filter(({ id }) => !known.has(id))) {
          const content = this.unanswered.get(object.description);
          if (content === undefined || !matches(object, content)) {
            broken.add('half of an object is there', `${collection} shows ${JSON.stringify(object)}`);
          }
          const entry = { path: `${collection}/${object.id}`, id: object.id, states: [content ?? object], round };
          this.entries.push(entry);
          found += 1;
        }
        next = body.next_page_uri === null ? null : body.next_page_uri.replace(/^https?:\/\/[^/]+/, '');
      }
    }
    return found;
  }
}

/**
 * Returns whether a value contains at least what is expected: objects may have more fields, but lists must not have more entries.
 */
export function matches(shown: unknown, expected: unknown): boolean {
  if (Array.isArray(expected)) {
    if (!Array.isArray(shown) || shown.length !== expected.length) return false;
    return expected.every((entry, index) => matches(shown[index], entry));
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof shown !== 'object' || shown === null) return false;
    const fields = new Map(Object.entries(shown));
    return Object.entries(expected).every(([name, value]) => matches(fields.get(name), value));
  }
  return Object.is(shown, expected);
}
