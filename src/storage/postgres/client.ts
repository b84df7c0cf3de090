// Connections to a PostgreSQL server: the one file where they are created, so that all of them have the same limits.

import pg from 'pg';
import { remedies } from '../../domain/remedies.ts';
import { reasonOf, unreachableError } from './errors.ts';
import { sessionOf, unlike } from './sessions.ts';
import type { Address, Host } from './url.ts';
import { types } from './values.ts';

/** How long to wait for a host to accept a connection, in milliseconds. */
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
  constructor({ config }: Host, options: ClientOptions) {
    super({ ...config, types, keepAlive: true, connectionTimeoutMillis: connectTimeoutMs, ...options });
    this.on('error', () => {});
  }
}

/** The index of the host that was the right one last. Once a primary has moved, nobody waits for the host that is gone. */
const lastUsed = new WeakMap<Address, number>();

/**
 * Opens a connection to the first host that accepts one and is of the kind that the URL asks for. The hosts are tried in order,
 * beginning with the one used last if only one kind will do.
 *
 * @throws EngineError as for a lost connection, whatever the reason: nothing was sent over it. It names the hosts and the reasons.
 */
export async function connect(address: Address, options: ClientOptions): Promise<Client> {
  const { hosts, session } = address;
  const isStrict = session !== 'any' && session !== 'prefer-standby';
  const first = isStrict ? (lastUsed.get(address) ?? 0) : 0;
  const failures: { readonly host: Host; readonly error: unknown }[] = [];
  for (const kind of session === 'prefer-standby' ? ([session, 'any'] as const) : [session]) {
    for (const index of hosts.keys()) {
      const chosen = (first + index) % hosts.length;
      const host = hosts[chosen] as Host; // within the list
      const client = new Client(host, options);
      try {
        await client.connect();
        const problem = await unlike(kind, client);
        if (problem === null) {
          lastUsed.set(address, chosen);
          return client;
        }
        failures.push({ host, error: new Error(problem) });
      } catch (error) {
        failures.push({ host, error });
      }
      // Not awaited: a host that does not answer must not delay the next one.
      void disconnect(client);
    }
  }
  throw unreachableError(
    address.name,
    failures.map(({ host, error }) => (hosts.length === 1 ? reasonOf(error) : `${host.name}: ${reasonOf(error)}`)),
    failures.at(-1)?.error,
  );
}

/** Asks over a new connection whether the database takes no writes: where the address led before does not matter. */
export async function takesNoWrites(address: Address): Promise<boolean> {
  const client = await connect(address, { application_name: 'sallyport', query_timeout: connectTimeoutMs });
  try {
    return (await sessionOf(client)).isReadOnly;
  } finally {
    await disconnect(client);
  }
}

/** Returns what is wrong with a database that takes no writes, and what to do. */
export function readOnlyMessage({ name }: Address): string {
  return `The database ${name} takes no writes: it is a standby, or read-only. Let ${remedies.setDatabaseUrl} name the primary.`;
}

/** Ends a connection. Destroys it if the server does not answer in time. */
export async function disconnect(client: pg.Client): Promise<void> {
  const late = setTimeout(() => client.connection.stream.destroy(), endTimeoutMs);
  await client.end().catch(() => {});
  clearTimeout(late);
}
