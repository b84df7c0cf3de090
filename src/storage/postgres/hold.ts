// The right to use a PostgreSQL database: any number of servers share it, while a replacement excludes all others.

import { setTimeout as pause } from 'node:timers/promises';
import { type Hold, type HoldPurpose, neverLost } from '../engine.ts';
import { DatabaseInUseError } from '../engine-error.ts';
import { type Client, connect, disconnect } from './client.ts';
import { toDriverError } from './errors.ts';
import { sessionOf } from './sessions.ts';
import type { Address } from './url.ts';

/** Key of the advisory lock (PostgreSQL, "Advisory Locks"). */
const lockNumber = 5_127_309_416;
const share = `SELECT pg_try_advisory_lock_shared(${lockNumber}) AS "taken"`;
const own = `SELECT pg_try_advisory_lock(${lockNumber}) AS "taken"`;

/** Milliseconds between attempts to take the lock again after its connection was lost. */
const retryMs = 1_000;
/** Milliseconds between checks whether the connection still works, and how long an answer may take. */
const lookMs = 5_000;
const answerMs = 5_000;

const unseen =
  'Behind a pooler, servers cannot see each other. Stop all of them before you change the secret key or replace the database.';

/**
 * Takes the right to use a database, as `Engine.hold` says. The right is a session lock, so a connection stays open for it. If that
 * is lost, a shared lock is taken again as soon as the database can be reached. An exclusive lock is not: `lost` fires, because a
 * server may have started meanwhile.
 */
export async function holdDatabase(address: Address, purpose: HoldPurpose): Promise<Hold> {
  // A pooler gives the next statement another session, so that a lock would stay behind in the session of another client.
  if (address.behindPooler) return { weakness: unseen, lost: neverLost, release: () => {} };
  const exclusive = purpose === 'replace';
  let client = await take(address, exclusive ? own : share);
  if (client === null) {
    throw new DatabaseInUseError(
      exclusive
        ? `Servers use the database ${address.name}: stop them first.`
        : `The database ${address.name} is being replaced. Start the server when that is done.`,
    );
  }
  let released = false;
  const losing = new AbortController();
  const watch = (held: Client) => {
    // A server that was replaced by another one may never close the connection. A lock on a standby keeps nobody off the primary.
    const looking = setInterval(() => {
      sessionOf(held).then(
        ({ isReadOnly }) => (isReadOnly ? disconnect(held) : undefined),
        () => disconnect(held),
      );
    }, lookMs);
    looking.unref();
    held.once('end', () => {
      clearInterval(looking);
      if (released) return;
      if (exclusive) losing.abort(lostHoldError(address));
      else retake();
    });
  };
  const retake = async () => {
    while (!released) {
      await pause(retryMs, undefined, { ref: false });
      const again = await take(address, share).catch(() => null);
      if (again === null) continue;
      client = again;
      if (released) await disconnect(again);
      else watch(again);
      return;
    }
  };
  watch(client);
  return {
    weakness: null,
    lost: losing.signal,
    release() {
      released = true;
      if (client !== null) disconnect(client);
    },
  };
}

function lostHoldError({ name }: Address): Error {
  return new Error(
    `The connection that kept servers off the database ${name} was lost before the work was committed. Stop all servers, ` +
      'and try again.',
  );
}

/** Takes the lock on a new connection, without waiting; null if somebody else has it. */
async function take(address: Address, statement: string): Promise<Client | null> {
  const client = await connect(address, { application_name: 'sallyport hold', query_timeout: answerMs });
  try {
    const { rows } = await client.query<{ taken: boolean }>(statement);
    if (rows[0]?.taken === true) return client;
  } catch (error) {
    await disconnect(client);
    throw toDriverError(error);
  }
  await disconnect(client);
  return null;
}
