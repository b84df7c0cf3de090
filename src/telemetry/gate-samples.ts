// Ships decisions of the gate, which are not in the trail: of those that let a request pass a sample, and all that refuse. They are
// sent once and not kept: what a receiver does not take at that moment is only counted.

import type { Receiver } from '../outgoing/shipping/receiver.ts';
import type { ShippedRecord } from '../outgoing/shipping/records.ts';
import type { GateSummary } from '../surfaces/gate/outcome.ts';

/** Milliseconds in which decisions are gathered, and how many of them may wait and are sent together. */
const gatherMs = 1_000;
const waitingMax = 1_000;
const batchMax = 128;
/** Milliseconds after which a server that stops gives up what was not taken. */
const endMs = 2_000;

interface GateSampleOptions {
  readonly receivers: readonly Receiver[];
  /** The share of the decisions that let a request pass: from 0 to 1. */
  readonly share: number;
  readonly newRecordId: () => string;
  readonly now: () => Date;
}

/** Ships decisions of the gate. */
export interface GateSamples {
  /** Returns whether a decision that lets a request pass belongs to the sample. */
  readonly isDrawn: () => boolean;
  /** Notes a decision. Returns at once. */
  note(summary: GateSummary): void;
  /** Sends what waits, for two seconds at most: a server that stops waits for no receiver. */
  end(): Promise<void>;
}

/** Creates the samples of a process. */
export function createGateSamples({ receivers, share, newRecordId, now }: GateSampleOptions): GateSamples {
  const isOn = receivers.length > 0;
  const waiting: ShippedRecord[] = [];
  let lost = 0;
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  const ending = new AbortController();

  const sendAll = async () => {
    while (waiting.length > 0) {
      const some = waiting.splice(0, batchMax);
      const outcomes = await Promise.allSettled(receivers.map((receiver) => receiver.send(some, ending.signal)));
      if (outcomes.some(({ status }) => status === 'rejected')) lost += some.length;
    }
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    sending ??= sendAll().finally(() => {
      sending = undefined;
    });
    return sending;
  };
  return {
    isDrawn: () => isOn && Math.random() < share,
    note(summary) {
      if (!isOn || !(summary.isSample || summary.result === 'refuse')) return;
      if (waiting.length >= waitingMax) {
        lost += 1;
        return;
      }
      waiting.push(recordOfDecision(summary, { id: summary.requestId ?? newRecordId(), at: now(), share, lost }));
      lost = 0;
      timer ??= setTimeout(flush, gatherMs).unref();
    },
    async end() {
      const late = setTimeout(() => ending.abort(), endMs);
      await flush();
      clearTimeout(late);
    },
  };
}

function recordOfDecision(
  { result, reason, way, edgeId, accountId, routeId, particulars }: GateSummary,
  { id, at, share, lost }: { id: string; at: Date; share: number; lost: number },
): ShippedRecord {
  const { askedEdge, host = null, path = null, client = null, user = null } = particulars ?? {};
  const isRefusal = result === 'refuse';
  const what = `${host ?? 'an unknown host'}${path ?? ''}`;
  return {
    id,
    at,
    type: `gate.${result}`,
    isRefusal,
    message: `The gate ${isRefusal ? `refused ${client ?? 'a client'} at` : `let ${user ?? client ?? 'a client'} pass to`} ${what}`,
    fields: {
      account_id: accountId,
      edge_id: edgeId ?? askedEdge ?? null,
      route_id: routeId,
      result,
      reason,
      way,
      host,
      path,
      user,
      client_address: client,
      sample_share: isRefusal ? 1 : share,
      lost_before: lost,
    },
    state: null,
  };
}
