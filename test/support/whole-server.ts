// A server as the program runs it: the application on the storage of a service, behind the door that answers probes.

import { expect } from 'vitest';
import { readProxies } from '../../src/domain/gate/proxies.ts';
import { createNewId } from '../../src/domain/values/ids.ts';
import { createOutgoing } from '../../src/outgoing/outgoing.ts';
import { createServer, type ServerDeps } from '../../src/server.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { createMessageClasses } from '../../src/wire/express-prototypes.ts';
import { listen } from '../../src/wire/listen.ts';
import { createProbes, type Probes } from '../../src/wire/probes.ts';
import type { RequestSummary } from '../../src/wire/trace.ts';
import { repeatableBytes, startTime, type TestService } from './service.ts';

/** A server that listens. */
export interface WholeServer {
  readonly url: string;
  /** The door. */
  readonly probes: Probes;
  /** Returns the bytes of answers that wait for their clients. */
  waitingBytes(): number;
  /** Stops the server immediately. */
  cut(): void;
}

/**
 * Starts a server.
 *
 * @param requestEnded is called with a summary of each request
 * @param bounds on connections, as `listen` takes them
 */
export async function startWholeServer(
  { storage }: TestService,
  requestEnded: (summary: RequestSummary) => void = () => {},
  bounds: Parameters<typeof listen>[5] = {},
  overrides: Partial<ServerDeps> = {},
): Promise<WholeServer> {
  const messages = createMessageClasses();
  const newId = createNewId(() => startTime.getTime(), repeatableBytes('ids'));
  const recorder = { newRequestId: () => newId('Request'), requestEnded };
  const probes = createProbes({
    metrics: createMetrics({ version: '1', now: () => startTime, gauges: [], reportFailure: () => {} }),
    version: '1',
    commit: null,
    metricsToken: null,
    reportFailure: expect.fail,
    ...recorder,
  });
  const app = createServer({
    version: '1',
    messages,
    storage,
    outgoing: createOutgoing({ outgoingNetworks: [], outgoingDns: [] }),
    now: () => startTime,
    randomBytes: repeatableBytes('whole server'),
    reportFailure: expect.fail,
    requestEnded,
    baseUrl: null,
    trustProxy: 0,
    corsOrigins: [],
    gateProxies: readProxies(['127.0.0.1']),
    gateAllowSemicolon: false,
    sessionSeconds: 2_592_000,
    clockSkewSeconds: 60,
    dashboardIdleSeconds: 1_800,
    dashboardSessionSeconds: 43_200,
    dashboard: null,
    renewalGraceDays: 7,
    rateLimit: null,
    usePlans: true,
    versionHeaders: ['Service-Version'],
    ...overrides,
  });
  probes.open(app, async () => {});
  const server = await listen(probes.listener, messages, 0, '127.0.0.1', recorder, bounds);
  const { waitingBytes } = server;
  return { url: `http://127.0.0.1:${server.port}`, probes, waitingBytes, cut: () => server.cut() };
}
