// Runs the server: reads the configuration, listens, opens and migrates the database, and drains on SIGTERM.

import cluster from 'node:cluster';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Config, misspeltVariables, proxyProblem, readConfig } from '../config.ts';
import { createNewId } from '../domain/values/ids.ts';
import { messageOf } from '../domain/wording.ts';
import { createOutgoing } from '../outgoing/outgoing.ts';
import { createReceivers } from '../outgoing/shipping/receivers.ts';
import type { ServerDeps } from '../server.ts';
import { outageOf } from '../storage/errors.ts';
import { createRandomBytes } from '../storage/keys/randomness.ts';
import { chooseEngine } from '../storage/lifecycle/choose-engine.ts';
import { inStep } from '../storage/lifecycle/in-step.ts';
import { ownDatabase } from '../storage/lifecycle/open.ts';
import { packageDirectory } from '../storage/lifecycle/package.ts';
import type { AreaUpkeep } from '../storage/lifecycle/upkeep.ts';
import type { BackgroundWork } from '../storage/storage-options.ts';
import { readDashboard } from '../surfaces/dashboard/files.ts';
import { createEventStreams } from '../surfaces/kit/event-streams.ts';
import { listGuide } from '../surfaces/pages/guide.ts';
import { createGateSamples } from '../telemetry/gate-samples.ts';
import { createLog } from '../telemetry/log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { readCommit, readVersion } from '../telemetry/version.ts';
import { createMessageClasses } from '../wire/express-prototypes.ts';
import { type DrainingServer, listen, usualConnectionsMax } from '../wire/listen.ts';
import { createProbes } from '../wire/probes.ts';
import type { RequestRecorder } from '../wire/trace.ts';
import { metricsOfAll, warningsOfAll } from './counted-together.ts';
import { makeFirstAccount, welcome, whereKeyIs } from './first-start.ts';
import { connectionsWithinFiles } from './open-files.ts';
import { tellingOutagesOnce } from './outages.ts';
import { linesOf, printLines, tell } from './output.ts';
import { createPeers } from './peers.ts';
import type { EndSignals } from './signals.ts';
import { serverUpkeep } from './upkeep.ts';
import { readDuties, reportReady } from './workers.ts';

/** Milliseconds after which activity is stored: a killed process loses no more of it. */
const activityEveryMs = 10_000;

/** Runs the server until a signal ends the process. If it cannot start, it prints why and exits with 1. */
export async function serve(signals: EndSignals): Promise<void> {
  await start(signals).catch(fail);
}

async function start(signals: EndSignals): Promise<void> {
  const config = readConfig(process.env);
  const { welcomes, keepsUp } = readDuties();
  const now = () => new Date();
  const version = readVersion();
  const randomBytes = createRandomBytes();
  const newId = createNewId(Date.now, randomBytes);
  const outgoing = createOutgoing(config);
  const receivers = createReceivers(config.shipping, version, now, keepsUp);
  const areas = await serverUpkeep({ ...config, outgoing, receivers });
  const { log, metrics, recorder, probes, backgroundFailed, samples, serverDeps, drained } = createTelemetry(
    config,
    areas,
    version,
    now,
    () => newId('Request'),
  );

  if (welcomes) for (const sentence of misspeltVariables(process.env)) log.advice(sentence);
  const messages = createMessageClasses();
  const bounds = { connectionsMax: Math.min(usualConnectionsMax, connectionsWithinFiles()) };
  const startListening = () => listen(probes.listener, messages, config.port, config.host, recorder, bounds);
  // Listens first, so that probes are answered during a migration, and a port in use is found before it. Not if other processes
  // already serve the port: this one would turn away requests that they could serve.
  const early = welcomes ? await startListening() : null;
  const stopping = (work: () => Promise<void>) => (signal: NodeJS.Signals) => {
    log.event({ signal }, 'stopping');
    probes.close();
    work()
      .then(() => log.last('stopped'), fail)
      .finally(() => {
        // From here on a second signal is left to the system.
        signals.release();
        process.exit();
      });
  };
  // An interrupted migration changes nothing: it is one transaction, which ends with the process.
  signals.whenAsked(stopping(async () => early?.drain()));
  const onTrouble = (message: string | null) => {
    if (message === null) log.event('the database is healthy again');
    else log.trouble(message);
    probes.trouble(message !== null);
  };
  const watching = {
    onTiming: metrics.countStatement,
    areas: keepsUp ? areas : [],
    onUpkeepFailure: log.upkeepFailed,
    onBackgroundFailure: backgroundFailed,
    onTrouble,
  };
  const database = await openOrCut(early, () => ownDatabase(config, watching));
  if (signals.asked !== null) return;
  // The first key is shown only once: a signal must wait until then, and nothing that can fail may come in between.
  signals.whenAsked(() => {});
  if (database.applied.length > 0) log.event({ migrations: database.applied }, 'database migrated');
  if (database.madePrivate.length > 0) {
    log.event({ files: database.madePrivate }, 'files that other users could access are now private (mode 0600)');
  }
  if (database.weakness !== null) log.event(database.weakness);
  const { storage } = database;
  // Loading the server, which is most of the program, takes half of a start. It comes late, so that probes are answered before, and
  // a failing start does not load it.
  const { createServer } = await openOrCut(early, () => import('../server.ts'));
  const streams = createEventStreams(serverDeps.reportFailure);
  const app = createServer({
    ...config,
    dashboard: await openOrCut(early, async () => readDashboard(join(packageDirectory, 'dist', 'dashboard'))),
    guide: await openOrCut(early, async () => listGuide(join(packageDirectory, 'dist', 'guide'))),
    streams,
    ...serverDeps,
    messages,
    storage,
    outgoing,
    version,
    now,
    randomBytes,
  });
  const token = await openOrCut(early, () =>
    inStep(chooseEngine(config.databaseUrl), 'its first account was made', () =>
      makeFirstAccount(storage, config.bootstrapApiKey),
    ),
  );

  const server = early ?? (await startListening());
  const storing = setInterval(() => {
    storage.activity.store().catch((error: unknown) => backgroundFailed('activity', error));
  }, activityEveryMs);
  const stop = stopping(async () => {
    await pause(config.drainSeconds * 1000);
    streams.stop();
    await server.drain();
    drained();
    clearInterval(storing);
    await samples.end();
    await database.close();
  });
  // Set before anybody can know that the server runs, and try to stop it.
  signals.whenAsked(stop);
  if (keepsUp) {
    metrics.watch(storage.server);
    // The first round, in which work goes on that a server before has left, such as messages that wait.
    void storage.upkeep().catch(log.upkeepFailed);
  }
  metrics.watchStreams(streams);
  probes.open(app, storage.health.probe);
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  const listening = `http://${host}:${server.port}`;
  const { baseUrl } = config;
  const greeting =
    `Sallyport is listening on ${listening}\n` +
    (baseUrl === null ? '' : `URLs in answers start with ${baseUrl} (BASE_URL)\n`) +
    (token === null ? '' : welcome(baseUrl ?? listening, token));
  if (welcomes) {
    // The server runs either way: whoever started it may have wanted no output.
    await printLines(greeting.replace(/\n$/, '').split('\n')).catch((error: unknown) => {
      log.trouble(`${messageOf(error)} ${token === null ? '' : whereKeyIs(token)}`.trimEnd());
    });
  }
  log.event({ version, listening, baseUrl }, 'ready');
  const problem = proxyProblem(config);
  if (problem !== null) log.advice(problem.join(' '));
  reportReady();
  // Handles a signal that had to wait.
  if (signals.asked !== null) stop(signals.asked);
}

/** Creates the log, the metrics and the probes of the server, and the callbacks that feed them. */
function createTelemetry(
  config: Config,
  areas: readonly AreaUpkeep[],
  version: string,
  now: () => Date,
  newRequestId: () => string,
) {
  const log = createLog(config.logLevel);
  const metrics = createMetrics({
    version,
    now,
    gauges: [...areas.flatMap(({ gauges = [] }) => gauges), ...chooseEngine(config.databaseUrl).gauges],
    reportFailure: log.countingFailed,
  });
  const untoldOf = tellingOutagesOnce(() => performance.now());
  let isDrained = false;
  const reportFailure = (requestId: string, error: unknown) => {
    // What was cut off by the end of the drain finds the database closed, and nobody waits for it.
    if (isDrained && outageOf(error) !== null) return;
    const untold = untoldOf('request', error);
    if (untold !== null) log.failure(requestId, error, untold);
  };
  const backgroundFailed = (work: BackgroundWork, error: unknown) => {
    const untold = untoldOf(work, error);
    if (untold !== null) log.backgroundFailed(work, error, untold);
  };
  const share = config.shipping.gateSample;
  // With connections of their own, so that what fails there says nothing about the trail.
  const receivers = share > 0 ? createReceivers(config.shipping, version, now, false) : [];
  const samples = createGateSamples({ receivers, share, newRecordId: newRequestId, now });
  const serverDeps = {
    reportFailure,
    requestEnded(summary) {
      metrics.countRequest(summary);
      log.request(summary);
    },
    sessionHappened(event) {
      metrics.countSession(event);
      log.sessionHappened(event);
    },
    loginFailed(failure) {
      if (!failure.ledOn) metrics.countLoginFailure(failure);
      log.loginFailed(failure);
    },
    strangerNoticed: onceEach(log.strangerNoticed),
    gateDecided(summary) {
      metrics.countGateDecision(summary);
      log.gateDecided(summary);
      samples.note(summary);
    },
    gateSampled: samples.isDrawn,
  } satisfies Partial<ServerDeps>;
  const recorder: RequestRecorder = { newRequestId, requestEnded: serverDeps.requestEnded };
  const peers = createPeers();
  const probes = createProbes({
    metrics: metricsOfAll(metrics, peers),
    version,
    commit: readCommit(),
    metricsToken: config.metricsToken,
    ...recorder,
    reportFailure,
  });
  return {
    log,
    metrics,
    recorder,
    probes,
    backgroundFailed,
    samples,
    drained: () => {
      isDrained = true;
    },
    serverDeps: { ...serverDeps, readWarnings: warningsOfAll(peers) },
  };
}

/** Most peers that are told from each other: strangers could go on for ever. */
const peersMax = 100;

/** Returns a function that passes on what each address does once, up to a number of them. */
function onceEach<T extends string>(report: (does: T, address: string) => void): (does: T, address: string) => void {
  const known = new Set<string>();
  return (does, address) => {
    const both = `${does} ${address}`;
    if (known.has(both) || known.size >= peersMax) return;
    known.add(both);
    report(does, address);
  };
}

/** Runs one step of the start. If it fails, the server stops listening, so that the process can end. */
async function openOrCut<T>(server: DrainingServer | null, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    server?.cut();
    throw error;
  }
}

function fail(error: unknown): void {
  tell(...linesOf(error, 'Sallyport cannot run. '));
  process.exitCode = 1;
  // The channel to the primary process would keep a worker alive.
  cluster.worker?.disconnect();
}
