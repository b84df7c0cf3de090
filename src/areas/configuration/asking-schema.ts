// What applying a document asks of servers of others: metadata at addresses, and whether people could sign in at providers. A plan only
// notes it. All of it is asked before an application, while no draft is open: another account may wait for one.

import { SallyportError } from '../../domain/errors.ts';
import type { Context } from '../../graphql/kit/context.ts';
import { NotAsked } from '../../outgoing/idp-metadata.ts';
import type { Outgoing } from '../../outgoing/outgoing.ts';
import { tookTooLong } from './rules.ts';

/** Most questions of one application, how many are asked at once, and how long all of them may take, in milliseconds. */
const questionsMax = 100;
const atOnce = 8;
const askingMsMax = 60_000;

/** What was, and is to be, asked. */
export interface Asking extends Pick<Context, 'outgoing' | 'examineProvider'> {
  /** The addresses that applying the document asks, each once, in order. */
  addresses(): string[];
  /** Whether something was noted that nobody has been asked yet. */
  isOpen(): boolean;
  /** Asks it. What fails is told where the document needs it. Throws UNAVAILABLE if it takes too long, and the reason of the signal. */
  ask(signal: AbortSignal): Promise<void>;
}

/**
 * Creates what asks in place of the changes of a document. For what has been asked already, they get the answer.
 *
 * @throws QUERY_TOO_COMPLEX, where it is asked for, for more questions than a document may have
 */
export function createAsking({ outgoing, examineProvider }: Pick<Context, 'outgoing' | 'examineProvider'>): Asking {
  const addresses = new Map<string, string>();
  const open = new Map<string, (signal: AbortSignal) => Promise<unknown>>();
  const fetched = new Map<string, Awaited<ReturnType<Outgoing['fetch']>>>();
  const examined = new Set<string>();
  const failed = new Map<string, unknown>();

  const note = (key: string, address: string, question: (signal: AbortSignal) => Promise<unknown>) => {
    if (addresses.size >= questionsMax && !addresses.has(key)) {
      throw new SallyportError(
        'QUERY_TOO_COMPLEX',
        `Applying the document would ask more than ${questionsMax} servers of others. Divide it into several documents, each with a name of its own.`,
      );
    }
    addresses.set(key, address);
    open.set(key, question);
  };

  return {
    outgoing: {
      ...notNow,
      async fetchForPerson(owner, url, request) {
        const key = `read ${url}`;
        const answer = fetched.get(key);
        if (answer !== undefined) return answer;
        if (failed.has(key)) throw failed.get(key);
        note(key, url, async (signal) => fetched.set(key, await outgoing.fetchForPerson(owner, url, request, signal)));
        throw new NotAsked();
      },
    },
    async examineProvider(client) {
      const { issuer, clientId, openClientSecret } = client;
      const secret = openClientSecret();
      const key = `examine ${JSON.stringify([issuer, clientId, secret])}`;
      if (failed.has(key)) throw failed.get(key);
      if (examined.has(key)) return;
      // The draft in which the secret can be opened is gone when the provider is asked.
      note(key, issuer, async () => {
        await examineProvider({ ...client, openClientSecret: () => secret });
        examined.add(key);
      });
    },
    addresses: () => [...new Set(addresses.values())].sort(),
    isOpen: () => open.size > 0,
    async ask(signal) {
      const late = AbortSignal.timeout(askingMsMax);
      const ends = AbortSignal.any([signal, late]);
      const questions = [...open];
      open.clear();
      for (let start = 0; start < questions.length; start += atOnce) {
        await Promise.all(
          questions.slice(start, start + atOnce).map(async ([key, question]) => {
            try {
              await question(ends);
            } catch (error) {
              failed.set(key, error);
            }
          }),
        );
        signal.throwIfAborted();
        if (late.aborted) throw tookTooLong(askingMsMax);
      }
    },
  };
}

/** Sources are read in the next round of upkeep: a plan waits for no server. */
const notRead = () => Promise.reject(new SallyportError('OUTGOING_FAILED', 'has not been read yet.'));
const notNow: Omit<Outgoing, 'fetchForPerson'> = { fetch: notRead, lookUp: notRead, post: notRead, mailer: null };
