// A connection that many callers share, each without waiting for the others' answers.

import { type Client, disconnect } from './client.ts';
import { isSpoiled } from './errors.ts';

/** Milliseconds for which a connection that could not be opened is avoided. */
const refusedMs = 500;

/** A connection that is opened when it is needed, and again after it was lost. */
export class SharedConnection {
  readonly #connect: () => Promise<Client>;
  #client: Promise<Client> | undefined;
  #waiting = 0;
  #isOpen = false;
  #refusedAtMs = Number.NEGATIVE_INFINITY;

  constructor(connect: () => Promise<Client>) {
    this.#connect = connect;
  }

  /** How many answers are pending. */
  get waiting(): number {
    return this.#waiting;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether it could not be opened a moment ago. */
  get isRefused(): boolean {
    return performance.now() - this.#refusedAtMs < refusedMs;
  }

  /** Does work with the connection. Throws the errors of the work and of `connect`. */
  async run<T>(work: (client: Client) => Promise<T>): Promise<T> {
    this.#waiting += 1;
    const connecting = this.#connected();
    try {
      return await work(await connecting);
    } catch (error) {
      if (isSpoiled(error)) this.#drop(connecting);
      throw error;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Ends the connection after the work in flight. Later work gets a new one. */
  renew(): void {
    if (this.#client !== undefined) this.#drop(this.#client);
  }

  /** Ends the connection, after the work in flight. */
  async close(): Promise<void> {
    await this.#client?.then(disconnect, ignore);
  }

  #connected(): Promise<Client> {
    if (this.#client !== undefined) return this.#client;
    const connecting = this.#connect();
    const drop = () => this.#drop(connecting);
    this.#client = connecting;
    connecting.then(
      (client) => {
        this.#isOpen = this.#client === connecting;
        this.#refusedAtMs = Number.NEGATIVE_INFINITY;
        client.once('end', drop);
      },
      () => {
        this.#refusedAtMs = performance.now();
        drop();
      },
    );
    return connecting;
  }

  /** Drops a connection, so that the next caller opens a new one. */
  #drop(connecting: Promise<Client>): void {
    if (this.#client !== connecting) return;
    this.#client = undefined;
    this.#isOpen = false;
    connecting.then(disconnect, ignore);
  }
}

function ignore(): void {}
