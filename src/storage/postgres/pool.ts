// The pool of connections that are used by one caller at a time.

import { type Client, disconnect } from './client.ts';
import { closedError } from './errors.ts';

export interface PoolOptions {
  /** Opens a connection. */
  readonly connect: () => Promise<Client>;
  readonly sizeMax: number;
  /** How long a caller may wait for a connection, in milliseconds. */
  readonly waitMsMax: number;
}

/** A caller that waits for a connection. */
interface Waiting {
  readonly resolve: (client: Client) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
  /** Why no connection could be opened while the caller waited. */
  refusal: unknown;
}

/** Connections that stay open even if nobody needs them: when others have used up `max_connections`, no new ones can be had. */
const kept = 2;
/** Milliseconds after which further connections that were not needed are closed. */
const surplusMs = 10_000;
/** Milliseconds from a refused connection to the next attempt, while there are others that can be waited for. */
const retryMs = 500;

/**
 * A pool. A caller gets an idle connection, or a new one. If no new one can be opened, it waits for one that others use: only if
 * there is none, the reason is an error.
 */
export class Pool {
  readonly #options: PoolOptions;
  /** All open connections, and those of them that nobody uses, the one used last at the end. */
  readonly #open = new Set<Client>();
  readonly #idle: Client[] = [];
  /** Connections that end when they are given back. */
  readonly #old = new WeakSet<Client>();
  readonly #waiting: Waiting[] = [];
  readonly #timer: NodeJS.Timeout;
  #opening = 0;
  /** How often all connections were to be replaced. */
  #renewals = 0;
  #retry: NodeJS.Timeout | undefined;
  /** The smallest number of idle connections since surplus ones were last closed. */
  #spare = 0;
  #isClosed = false;
  #ended = () => {};

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#closeSurplus(), surplusMs).unref();
  }

  /** Returns a connection for exclusive use, to be given back by `release`. Throws the errors of `connect`. */
  take(): Promise<Client> {
    const idle = this.#idle.pop();
    if (idle !== undefined) {
      this.#spare = Math.min(this.#spare, this.#idle.length);
      return Promise.resolve(idle);
    }
    return new Promise((resolve, reject) => {
      const { waitMsMax } = this.#options;
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(waiting.refusal ?? new Error(`No connection to the database was free for ${waitMsMax} ms.`));
      }, waitMsMax);
      const waiting: Waiting = { resolve, reject, timer, refusal: undefined };
      this.#waiting.push(waiting);
      this.#openMore();
    });
  }

  /** Whether there are connections that can be waited for. */
  get hasOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Takes a connection back. Ends it if it must not be used again. */
  release(client: Client, isSpoiled: boolean): void {
    if (isSpoiled || this.#isClosed || this.#old.has(client)) {
      this.#remove(client);
      void disconnect(client);
    } else if (this.#open.has(client)) {
      this.#give(client);
    }
  }

  /** Ends all connections, those in use when they are given back: they lead to the wrong server. */
  renew(): void {
    this.#renewals += 1;
    for (const client of this.#open) this.#old.add(client);
    for (const client of this.#idle.splice(0)) this.release(client, true);
  }

  /** Ends all connections. Resolves when those in use have been given back. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    clearTimeout(this.#retry);
    this.#rejectAll(closedError);
    const ending = this.#idle.splice(0).map((client) => {
      this.#open.delete(client);
      return disconnect(client);
    });
    const returned = new Promise<void>((resolve) => {
      this.#ended = resolve;
    });
    await Promise.all([...ending, this.#open.size > 0 ? returned : undefined]);
  }

  /** Opens connections for those who wait. */
  #openMore(): void {
    while (
      this.#opening < this.#waiting.length &&
      this.#opening + this.#open.size < this.#options.sizeMax &&
      (this.#retry === undefined || this.#open.size === 0)
    ) {
      this.#opening += 1;
      const renewals = this.#renewals;
      this.#options.connect().then(
        (client) => {
          this.#opening -= 1;
          this.#open.add(client);
          client.once('end', () => this.#remove(client));
          // One that was being opened may lead to the wrong server as well.
          if (this.#isClosed || renewals !== this.#renewals) this.release(client, true);
          else {
            this.#give(client);
            // Others may wait although an attempt for them has failed.
            this.#openMore();
          }
        },
        (error: unknown) => {
          this.#opening -= 1;
          this.#refused(error);
        },
      );
    }
  }

  #refused(error: unknown): void {
    if (this.#open.size > 0) {
      for (const waiting of this.#waiting) waiting.refusal ??= error;
      this.#retry ??= setTimeout(() => {
        this.#retry = undefined;
        this.#openMore();
      }, retryMs).unref();
    } else if (this.#opening === 0) {
      this.#rejectAll(() => error);
    }
  }

  #give(client: Client): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) {
      this.#idle.push(client);
      return;
    }
    clearTimeout(waiting.timer);
    waiting.resolve(client);
  }

  /** Forgets a connection that has ended or will. */
  #remove(client: Client): void {
    if (!this.#open.delete(client)) return;
    const index = this.#idle.indexOf(client);
    if (index >= 0) this.#idle.splice(index, 1);
    this.#spare = Math.min(this.#spare, this.#idle.length);
    if (this.#open.size === 0) {
      this.#ended();
      // There is nothing left to wait for. Those who came later try anew.
      this.#rejectAll(({ refusal }) => refusal);
    }
    this.#openMore();
  }

  /** Rejects those who wait, with the error that is found for each of them; the others go on waiting. */
  #rejectAll(errorOf: (waiting: Waiting) => unknown): void {
    for (const waiting of this.#waiting.splice(0)) {
      const error = errorOf(waiting);
      if (error === undefined) {
        this.#waiting.push(waiting);
        continue;
      }
      clearTimeout(waiting.timer);
      waiting.reject(error);
    }
  }

  #closeSurplus(): void {
    const surplus = Math.max(0, this.#spare - kept);
    for (const client of this.#idle.slice(0, surplus)) this.release(client, true);
    this.#spare = this.#idle.length;
  }
}
