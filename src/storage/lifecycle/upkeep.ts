// The upkeep of a database: what areas contribute, and the rounds in which a server runs it.

import { type BelievedClock, type ClockProof, pauseMsMax } from '../../domain/access/believed-clock.ts';
import type { KeyAges } from '../../domain/access/key-ages.ts';
import type { SigningAgentSetting } from '../../domain/access/signing-agents.ts';
import type { Outgoing } from '../../outgoing/outgoing.ts';
import type { Receiver } from '../../outgoing/shipping/receiver.ts';
import type { Check } from '../engine.ts';
import type { AccountScope, DatabaseHandle } from '../objects/account-scope.ts';
import type { AttentionSource } from '../objects/attention-source.ts';
import type { ServerReads, ServerScope } from '../objects/server-scope.ts';
import type { EventReads } from '../trail/event-reads.ts';
import { readFact } from '../trail/facts.ts';
import type { Gauge } from './gauges.ts';

/** The data of all accounts, for upkeep. */
export interface UpkeepScope extends ServerScope {
  /** Returns the data of one account, for changes of its objects: the trail records that the server itself made them. */
  readonly actingFor: (accountId: string) => AccountScope;
  readonly database: DatabaseHandle;
  /** The trails of all accounts, in commit order. */
  readonly events: EventReads;
}

/** What an area contributes to upkeep, from its `upkeep.ts`. */
export interface AreaUpkeep {
  /**
   * Catches up on data from an earlier version. Runs once, in the first round after the database is opened; it needs no clock.
   *
   * @param signal fires when the database is about to close
   */
  readonly catchUp?: (scope: ServerScope, signal: AbortSignal) => Promise<void>;
  /**
   * Does the hourly work.
   *
   * @param now the time of the believed clock
   * @param signal fires when the database is about to close: the rest can wait for the next round
   */
  readonly hourly?: (scope: UpkeepScope, now: Date, signal: AbortSignal) => Promise<void>;
  /**
   * Does what is due at times of its own, in each round; by the clock of the server, which need not be believed.
   *
   * @param signal fires when the database is about to close
   */
  readonly eachRound?: (scope: UpkeepScope, now: Date, signal: AbortSignal) => Promise<void>;
  /**
   * Goes on beside the rounds: begins with the first one, and ends when the signal fires, which the end of the database waits for.
   *
   * @param now the clock of the server, which need not be believed
   * @param onFailure called with what fails meanwhile
   */
  readonly beside?: (
    scope: UpkeepScope,
    now: () => Date,
    signal: AbortSignal,
    onFailure: (error: unknown) => void,
  ) => Promise<void>;
  readonly gauges?: readonly Gauge[];
  /** Checks for what an operator should know; `doctor` prints the results. */
  readonly check?: (database: ServerReads, now: Date) => Promise<Check[]>;
}

/** What the upkeep of areas may depend on. */
export interface UpkeepSettings {
  /** Number of days for which the trail keeps events. */
  readonly auditDays: number;
  /** Number of seconds after which an unused session of the dashboard ends. */
  readonly dashboardIdleSeconds: number;
  readonly keyAges: KeyAges;
  /** The agents that have keys of certificate authorities. */
  readonly signingAgents: readonly SigningAgentSetting[];
  readonly outgoing: Outgoing;
  /** The receivers that the operator has the trail shipped to. */
  readonly receivers: readonly Receiver[];
  /** Loads what finds what needs attention, in all areas. */
  readonly attention: () => Promise<readonly AttentionSource[]>;
}

export interface UpkeepRounds {
  /** Runs a round. Callers during a round share it and its failure. */
  run(): Promise<void>;
  /** Starts no further round. Cuts short the round in progress, and resolves when it has ended. */
  stop(): Promise<void>;
}

interface RoundsOptions {
  readonly areas: readonly AreaUpkeep[];
  readonly server: UpkeepScope;
  readonly clock: BelievedClock;
  /** Milliseconds between two rounds. */
  readonly everyMs: number;
  readonly now: () => Date;
  /** The monotonic clock, in milliseconds. */
  readonly monotonicMs: () => number;
  /** Runs first in each round. If it fails, the round fails. */
  readonly flush: () => Promise<void>;
  /** Called with the error when a round, or an area's work in it, fails. The next round tries again. */
  readonly onFailure: (error: unknown) => void;
}

/** Milliseconds between two rounds of a server, and the number of its rounds in an hour. */
export const roundMs = 60_000;
const roundsOfHour = 60;
/** The number of rounds after which the proof of the clock is stored: a killed process loses no more of it. */
const roundsOfProof = 10;

/** Name of the fact that keeps the proof of the clock, so that it outlives a process: `ClockProof` as JSON. */
const proofFact = 'clockProof';

/** Starts the rounds of a server. They do not keep the process alive. */
export function startRounds({
  areas,
  server,
  clock,
  everyMs,
  now,
  monotonicMs,
  flush,
  onFailure,
}: RoundsOptions): UpkeepRounds {
  const stopping = new AbortController();
  const { signal } = stopping;
  const behind = new Set(areas);
  const due = new Set<AreaUpkeep>();
  const beside: Promise<void>[] = [];
  let believedRounds = 0;
  let rounds = 0;
  /** The stored proof as this server last saw it, and since when; and the one that it wrote last. */
  let seen: { readonly text: string | null; readonly sinceMs: number } | undefined;
  let own: string | null = null;
  const read = (text: string | null): ClockProof | null => JSON.parse(text ?? 'null');
  const saveProof = async () => {
    const stored = await readFact(server, proofFact);
    if (seen === undefined || seen.text !== stored) seen = { text: stored, sinceMs: monotonicMs() };
    const proof = clock.proof();
    // Other servers store theirs, too: one whose clock was set must not undo what they have proved, until no process could go on
    // with that any more.
    const isUsable = stored !== own && monotonicMs() - seen.sinceMs <= pauseMsMax;
    if (isUsable && (read(stored)?.provenMs ?? 0) > proof.provenMs) return;
    const text = JSON.stringify(proof);
    if (await server.facts.replace(proofFact, stored, text)) own = text;
  };
  /** Reads the clock, and goes on with the proof of the process before. A command, which has no areas, neither needs it nor keeps it. */
  const readClock = async () => {
    clock.read();
    if (areas.length === 0) return null;
    if (rounds === 0) {
      const earlier = read(await readFact(server, proofFact));
      if (earlier !== null) clock.resume(earlier);
    }
    if (rounds % roundsOfProof === 0) await saveProof();
    rounds += 1;
    return clock.read();
  };
  const round = async () => {
    await flush();
    const believed = await readClock();
    if (beside.length === 0 && !signal.aborted) {
      for (const area of areas)
        beside.push((area.beside?.(server, now, signal, onFailure) ?? Promise.resolve()).catch(onFailure));
    }
    await doForEach(behind, (area) => area.catchUp?.(server, signal), signal, onFailure);
    await doForEach(new Set(areas), (area) => area.eachRound?.(server, now(), signal), signal, onFailure);
    if (believed === null) return;
    // Only once an hour, because the work may scan everything.
    if (believedRounds++ % roundsOfHour === 0) for (const area of areas) due.add(area);
    await doForEach(due, (area) => area.hourly?.(server, believed, signal), signal, onFailure);
  };
  let underWay: Promise<void> | null = null;
  const run = () => {
    underWay ??= round().finally(() => {
      underWay = null;
    });
    return underWay;
  };
  const timer = setInterval(() => {
    run().catch(onFailure);
  }, everyMs);
  timer.unref();
  return {
    run,
    async stop() {
      clearInterval(timer);
      stopping.abort();
      // The caller that started the round receives its failure.
      await underWay?.catch(() => {});
      await Promise.all(beside);
      if (rounds > 0) await saveProof().catch(onFailure);
    },
  };
}

/**
 * Does work for each area, and removes the areas that are done from the set. A failure does not stop the other areas; the failed
 * area stays in the set for the next time.
 *
 * @param signal stops before the next area when aborted
 */
async function doForEach<A>(
  areas: Set<A>,
  work: (area: A) => Promise<void> | undefined,
  signal: AbortSignal,
  onFailure: (error: unknown) => void,
): Promise<void> {
  for (const area of areas) {
    if (signal.aborted) return;
    try {
      await work(area);
      areas.delete(area);
    } catch (error) {
      onFailure(error);
    }
  }
}
