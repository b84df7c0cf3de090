// Connections to a PostgreSQL server: the one place where they are created, so that all of them have the same limits.

import pg from 'pg';
import { lostError } from './errors.ts';
import type { Address } from './url.ts';
import { types } from './values.ts';

/** How long to wait for a server to accept a connection, in milliseconds. */
const connectTimeoutMs = 3_000;
/** How long to wait for a connection to end, in milliseconds: a server that is gone never confirms it. */
const endTimeoutMs = 1_000;

/** The options in which connections differ. */
export interface ClientOptions extends Pick<pg.ClientConfig, 'application_name' | 'query_timeout'> {
  /** Sends statements without waiting for the answers to earlier ones. */
  readonly pipeline?: boolean;
}

/** A connection, open or not. Its loss surfaces in the calls that use it, and never ends the process. */
export class Client extends pg.Client {
  constructor({ config }: Address, options: ClientOptions) {
    super({ ...config, types, keepAlive: true, connectionTimeoutMillis: connectTimeoutMs, ...options });
    this.on('error', () => {});
  }
}

/**
 * Opens a connection.
 *
 * @throws EngineError as for a lost connection, whatever the reason: nothing was sent over it
 */
export async function connect(address: Address, options: ClientOptions): Promise<Client> {
  const client = new Client(address, options);
  try {
    await client.connect();
    return client;
  } catch (error) {
    throw lostError(error);
  }
}

/** Ends a connection. Destroys it if the server does not answer in time. */
export async function disconnect(client: pg.Client): Promise<void> {
  const late = setTimeout(() => client.connection.stream.destroy(), endTimeoutMs);
  await client.end().catch(() => {});
  clearTimeout(late);
}
