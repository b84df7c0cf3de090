// One measurement: several connections that send one kind of request to one server, one request after the other.

import autocannon from 'autocannon';
import { quantile } from './figures.ts';
import type { DatabaseServer } from './places.ts';
import type { Server } from './servers.ts';

/** A request as it is sent. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What is measured: a server, and the database server that works only for it meanwhile. */
export type Measured = Pick<Server, 'url' | 'processorSeconds'> & {
  readonly database?: DatabaseServer | null;
};

/** How long to measure. */
export interface Pace {
  /** Seconds of one measurement. */
  readonly seconds: number;
  /** Rounds that count. One more comes first, for V8 to compile hot code. */
  readonly rounds: number;
}

/** The result of a measurement. */
export interface Measurement {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /**
   * Processor time per request, of the server and its database server, in microseconds. It may exceed the latency of the request.
   */
  readonly processorMicroseconds: number;
  /** Processor time of the database server alone; 0 if there is none, or it cannot be seen. */
  readonly databaseMicroseconds: number;
  /** Share of one processor that this program took to send the requests: near 1, it limits what the server shows. */
  readonly senderShare: number;
}

/** Fewest answers of a measurement. With fewer, it is repeated for twice the time. */
const answersMin = 10;
/** Requests that each connection sends in turn before it starts over. */
export const callsPerConnection = 64;

/**
 * Measures. The clock runs from the first answer to the last, so that connecting is left out.
 *
 * @param callOf returns the nth request; the connections send different ones at the same time
 * @throws Error for any answer outside 2xx, and for any connection that breaks
 */
export async function measure(
  server: Measured,
  callOf: (n: number) => Call,
  connections: number,
  seconds: number,
): Promise<Measurement> {
  const latenciesMs: number[] = [];
  let firstAt = 0;
  let lastAt = 0;
  let connection = 0;
  const processorBefore = server.processorSeconds();
  const databaseBefore = server.database?.processorSeconds() ?? 0;
  const senderBefore = process.cpuUsage();
  const begun = performance.now();

  const { errors, timeouts, mismatches, non2xx, resets } = await new Promise<autocannon.Result>((resolve, reject) => {
    const options: autocannon.Options = {
      url: server.url,
      connections,
      duration: seconds,
      // The end is noticed at the next sample.
      sampleInt: 50,
      setupClient(client) {
        const first = connection * callsPerConnection;
        connection += 1;
        client.setRequests(Array.from({ length: callsPerConnection }, (_, n) => ({ ...callOf(first + n) })));
      },
    };
    const run = autocannon(options, (error, result) => (error == null ? resolve(result) : reject(error)));
    run.on('response', (_client, _statusCode, _bytes, responseMs) => {
      lastAt = performance.now();
      if (firstAt === 0) firstAt = lastAt;
      latenciesMs.push(responseMs);
    });
  });

  if (errors + timeouts + mismatches + non2xx + resets > 0) {
    const { method, path } = callOf(0);
    throw new Error(
      `${method} ${path} on ${server.url}: ${latenciesMs.length} answers, ${non2xx} of them outside 2xx, ` +
        `${errors} errors, ${timeouts} timeouts, ${resets} resets.`,
    );
  }
  // On a busy machine, a short time may give too few answers to tell anything.
  if (latenciesMs.length < answersMin) return measure(server, callOf, connections, 2 * seconds);
  const { user, system } = process.cpuUsage(senderBefore);
  const databaseSeconds = (server.database?.processorSeconds() ?? 0) - databaseBefore;
  const processorSeconds = server.processorSeconds() - processorBefore + databaseSeconds;
  return {
    requestsPerSecond: ((latenciesMs.length - 1) / (lastAt - firstAt)) * 1000,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
    processorMicroseconds: (processorSeconds / latenciesMs.length) * 1e6,
    databaseMicroseconds: (databaseSeconds / latenciesMs.length) * 1e6,
    senderShare: (user + system) / 1000 / (performance.now() - begun),
  };
}
