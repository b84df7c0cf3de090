// A primary and its standby, which change places.

import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { until } from '../process/support.ts';
import { type Cluster, createCluster, query, send } from './postgres.ts';

/** Settings for data that survives a kill: what PostgreSQL has acknowledged is in the kernel. */
export const durable = ['listen_addresses=', 'max_connections=100', 'fsync=off', 'wal_level=replica', 'hot_standby=on'];

/** Starts a primary and a standby that follows it. Both stop when the test is over. */
export async function startPair(): Promise<{ primary: Cluster; standby: Cluster }> {
  const primary = createCluster(durable);
  onTestFinished(() => primary.stop());
  const standby = createCluster(durable, primary);
  onTestFinished(() => standby.stop());
  await primary.start();
  await startAsStandby(standby, primary);
  return { primary, standby };
}

/** Starts a server that was stopped as the standby of another one. */
export async function startAsStandby(standby: Cluster, primary: Cluster): Promise<void> {
  writeFileSync(join(standby.directory, 'data/standby.signal'), '');
  const source = `host=${primary.directory} user=postgres application_name=standby`;
  writeFileSync(join(standby.directory, 'data/postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
  await standby.start();
  const following = "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'";
  await until(async () => (await query(primary.url, following)).length > 0);
}

/** Lets a primary and its standby change places, as an operator does: nothing is lost. */
export async function switchOver(primary: Cluster, standby: Cluster): Promise<void> {
  const pidFile = join(primary.directory, 'data/postmaster.pid');
  process.kill(Number(readFileSync(pidFile, 'utf8').split('\n')[0]), 'SIGINT');
  // It ends once the standby has everything.
  await until(() => !existsSync(pidFile));
  await send(standby.url, 'SELECT pg_promote()');
  await startAsStandby(primary, standby);
}

/** An address that can be moved from one server to another, like a virtual IP address. */
export interface MovableAddress {
  readonly url: string;
  /** Leads new connections to a server. The open ones stay where they are. */
  leadTo(next: Cluster): void;
  /** Cuts the open connections. */
  cut(): void;
}

/** Creates an address that leads to a server. It is gone when the test is over. */
export async function movableAddress(first: Cluster): Promise<MovableAddress> {
  let target = first;
  const open = new Set<Socket>();
  const forwarder = createServer((client) => {
    const server = connect(join(target.directory, '.s.PGSQL.5432'));
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  forwarder.listen(0, '127.0.0.1');
  await once(forwarder, 'listening');
  const address = forwarder.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.');
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    forwarder.close();
  });
  return {
    url: `postgresql://postgres@127.0.0.1:${address.port}/postgres`,
    cut,
    leadTo(next) {
      target = next;
    },
  };
}
