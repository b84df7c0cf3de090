// Ships to a server of syslog over TCP or TLS. Neither tells what has arrived: only that a connection is still there some seconds
// after something was sent, or that it was closed in order.

import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { inOrder, type Receiver, ShippingFailure } from './receiver.ts';
import { syslogFrame } from './records.ts';

/** What the operator has set. */
export interface SyslogSettings {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  /** Certificates of the authorities that vouch for the server, in PEM; null for those of the system. */
  readonly ca: string | null;
}

/** Milliseconds for a connection with its TLS, and for the server to take what was sent. */
const silenceMsMax = 10_000;
/** Milliseconds after which a server that is dead would have broken the connection. */
const doubtMs = 5_000;
/** Milliseconds in which a server should close its side. */
const farewellMs = 2_000;

/** Creates the receiver. */
export function createSyslogReceiver({ host, port, isTls, ca }: SyslogSettings): Receiver {
  const turn = inOrder();
  const where = `The syslog server ${host}:${port}`;
  const sender = { hostname: hostname(), process: process.pid };
  let socket: Socket | undefined;
  /** Why the connection ended since the last call: what was sent before may be lost. */
  let broken: ShippingFailure | undefined;
  let sentMs = Number.NEGATIVE_INFINITY;

  const connect = async (signal: AbortSignal): Promise<Socket> => {
    const address = host.replace(/^\[|\]$/g, '');
    const opened = isTls
      ? connectTls({
          host: address,
          port,
          servername: /^[\d.]+$|:/.test(address) ? '' : address,
          ...(ca === null ? {} : { ca }),
        })
      : connectTcp({ host: address, port });
    opened.setNoDelay(true).setKeepAlive(true, doubtMs);
    const until = AbortSignal.any([signal, AbortSignal.timeout(silenceMsMax)]);
    try {
      await once(opened, isTls ? 'secureConnect' : 'connect', { signal: until });
    } catch (error) {
      opened.destroy();
      throw failureOf(error, until.aborted ? 'does not accept a connection.' : null);
    }
    // Nothing is expected; what comes is read, so that the end is seen.
    opened.resume();
    const lost = (error?: unknown) => {
      if (socket !== opened) return;
      socket = undefined;
      // One that was idle may end: nothing is in doubt.
      if (performance.now() - sentMs <= doubtMs)
        broken = failureOf(error, error instanceof Error ? null : 'has closed the connection.');
      opened.destroy();
    };
    opened
      .on('error', lost)
      .on('end', () => lost())
      .on('close', () => lost());
    return opened;
  };
  const failureOf = (error: unknown, reason: string | null) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no reason given';
    return new ShippingFailure(`${where} ${reason ?? `cannot be reached, or broke the connection off (${code}).`}`, {
      cause: error,
    });
  };
  /** Throws what has happened since the last call. */
  const check = () => {
    const happened = broken;
    broken = undefined;
    if (happened !== undefined) throw happened;
  };
  return {
    name: 'syslog',
    doubtMs,
    known: null,
    send: (records, signal) =>
      turn(async () => {
        check();
        if (records.length === 0) return null;
        socket ??= await connect(signal);
        const used = socket;
        sentMs = performance.now();
        const frames = Buffer.concat(records.map((record) => syslogFrame(record, sender)));
        const written = new Promise<void>((resolve, reject) => {
          used.write(frames, (error) => (error ? reject(error) : resolve()));
        });
        const silent = pause(silenceMsMax, 'silent' as const, { ref: false });
        const outcome = await Promise.race([written.catch((error: unknown) => failureOf(error, null)), silent]);
        if (outcome === undefined) {
          check();
          return null;
        }
        socket = undefined;
        broken = undefined;
        used.destroy();
        throw outcome === 'silent' ? failureOf(null, 'does not read what it is sent.') : outcome;
      }),
    close: () =>
      turn(async () => {
        const used = socket;
        const isWhole = broken === undefined;
        socket = undefined;
        if (used === undefined) return isWhole;
        const ended = once(used, 'end', { signal: AbortSignal.timeout(farewellMs) }).then(
          () => true,
          () => false,
        );
        used.end();
        const hasArrived = await ended;
        used.destroy();
        return isWhole && hasArrived;
      }),
  };
}
