#!/usr/bin/env node
// The server process: reads the configuration, listens, opens and migrates the database, and drains on SIGTERM.

import { setTimeout as pause } from 'node:timers/promises';
import { readConfig } from './config.ts';
import { createNewId } from './domain/ids.ts';
import { makeFirstAccount, welcome } from './first-start.ts';
import { ownDatabase } from './open-database.ts';
import { type DrainingServer, listen } from './operations/draining-server.ts';
import { createGate } from './operations/gate.ts';
import { createLog } from './operations/log.ts';
import { createMessages } from './operations/messages.ts';
import { createMetrics } from './operations/metrics.ts';
import { createRandomBytes } from './operations/randomness.ts';
import type { RequestSummary } from './operations/request-watch.ts';
import { readVersion } from './operations/version.ts';
import { createServer } from './server.ts';

/** Milliseconds for what is left to do once everything is closed. */
const endingMsMax = 1_000;

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const now = () => new Date();
  const version = readVersion();
  const log = createLog(config.logLevel);
  const metrics = createMetrics({ version, now });
  const randomBytes = createRandomBytes();
  const newId = createNewId(Date.now, randomBytes);
  const requestEnded = (summary: RequestSummary) => {
    metrics.countRequest(summary);
    log.request(summary);
  };
  const gate = createGate({
    metrics,
    metricsToken: config.metricsToken,
    newRequestId: () => newId('Operation'),
    requestEnded,
    reportFailure: log.failure,
  });

  const messages = createMessages();
  // First of all: probes get an answer while the database is migrated, and a port in use is found before it is.
  const server = await listen(gate.listener, messages, config.port, config.host);
  const database = await openOrCut(server, () => ownDatabase(config, metrics.countStatement));
  if (database.applied.length > 0) log.event({ migrations: database.applied }, 'database migrated');
  const { storage } = database;
  const app = createServer({
    ...config,
    messages,
    storage,
    now,
    randomBytes,
    reportFailure: log.failure,
    requestEnded,
  });
  // The key is shown once, so nothing that can fail comes after it.
  const token = await openOrCut(server, () => makeFirstAccount(storage, config.bootstrapApiKey));

  const stop = async (signal: NodeJS.Signals) => {
    // A second signal ends the process at once: Node's own behaviour, once nobody listens any more.
    process.removeAllListeners('SIGTERM').removeAllListeners('SIGINT');
    log.event({ signal }, 'stopping');
    gate.close();
    await pause(config.drainSeconds * 1000);
    await server.drain();
    await database.close();
    log.event('stopped');
    // It ends by itself, with its log written, unless something is still being computed that nobody waits for any more.
    setTimeout(() => process.exit(), endingMsMax).unref();
  };
  // Before anybody can know that the server runs, and stop it.
  const stopOrFail = (signal: NodeJS.Signals) => void stop(signal).catch(fail);
  process.on('SIGTERM', stopOrFail).on('SIGINT', stopOrFail);

  metrics.watchCertificates(storage.survey);
  gate.open(app, storage.survey.probe);
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  const url = config.baseUrl ?? `http://${host}:${server.port}`;
  process.stdout.write(`Sallyport is listening on ${url}\n${token === null ? '' : welcome(url, token)}`);
  log.event({ version, url }, 'ready');
}

/** Does a step of the start. When it fails, the server stops listening, so that the process can end. */
async function openOrCut<T>(server: DrainingServer, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    server.cut();
    throw error;
  }
}

function fail(error: unknown): void {
  process.stderr.write(`Sallyport cannot run. ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

main().catch(fail);
