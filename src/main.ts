#!/usr/bin/env node
// The server process: reads the configuration, opens and migrates the database, listens, and drains on SIGTERM.

import { randomBytes } from 'node:crypto';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as TcpServer } from 'node:net';
import { pino } from 'pino';
import { readConfig } from './config.ts';
import { makeFirstAccount, welcome } from './first-start.ts';
import { ownDatabase } from './open-database.ts';
import { createServer } from './server.ts';

/** Milliseconds that requests under way get to finish when the process is told to stop. */
const drainMsMax = 10_000;
/** Milliseconds in which connections without a request may still bring the one that their client is just sending. */
const idleMs = 500;

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
  const database = await ownDatabase(config);
  if (database.applied.length > 0) log.info({ migrations: database.applied }, 'database migrated');

  const app = createServer({
    ...config,
    storage: database.storage,
    now: () => new Date(),
    randomBytes,
    reportFailure: (requestId, error) => log.error({ requestId, err: error }, 'request failed'),
  });
  const answering = new Set<ServerResponse>();
  let stopping = false;
  const server = createHttpServer((request, response) => {
    answering.add(response);
    response.once('close', () => answering.delete(response));
    if (stopping) response.setHeader('Connection', 'close');
    app(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  });
  // Only now: the key is shown once, so it must not be made by a start that fails, for example on a port in use.
  const token = await makeFirstAccount(database.storage, config.bootstrapApiKey);
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  const url = config.baseUrl ?? `http://${host}:${port}`;
  process.stdout.write(`Sallyport is listening on ${url}\n${token === null ? '' : welcome(url, token)}`);

  const stop = (signal: NodeJS.Signals) => {
    log.info({ signal }, 'stopping');
    // A second signal ends the process at once: Node's own behaviour, once nobody listens any more.
    process.removeAllListeners('SIGTERM').removeAllListeners('SIGINT');
    stopping = true;
    for (const response of answering) if (!response.headersSent) response.setHeader('Connection', 'close');
    setTimeout(() => server.closeIdleConnections(), idleMs).unref();
    setTimeout(() => server.closeAllConnections(), drainMsMax).unref();
    // The `close` of an HTTP server also cuts idle connections off at once, on which a request may be on its way. The
    // one of TCP only stops listening; the answer to such a request then tells the client to close.
    TcpServer.prototype.close.call(server, () => {
      database.close().then(
        () => log.info('stopped'),
        (error) => fail(error),
      );
    });
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
}

function fail(error: unknown): void {
  process.stderr.write(`Sallyport cannot run. ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

main().catch(fail);
