// Reads what a source of an IP policy has now, from the DNS or from the server of its list.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { inTurns } from '../../domain/concurrency/steps.ts';
import { packRanges } from '../../domain/ip/range-packing.ts';
import type { Outgoing } from '../../outgoing/outgoing.ts';
import { listBytesMax, maxAgeOf, rangesOfJson, rangesOfText, type SourceDraft, unreadable } from './source-rules.ts';

/** What a source has now. */
export interface Reading {
  /** The ranges, packed. */
  readonly ranges: Uint8Array<ArrayBuffer>;
  readonly entityTag: string | null;
  /** Seconds for which the list says that it stays as it is. */
  readonly maxAgeSeconds: number;
}

/**
 * Reads a source.
 *
 * @param entityTag the tag of the list that is known already
 * @returns null for the ranges of a list that is still the known one
 * @throws OUTGOING_REFUSED, OUTGOING_FAILED and UNAVAILABLE as `Outgoing.fetch`, and OUTGOING_FAILED for a list that cannot be used
 */
export async function readSource(
  outgoing: Outgoing,
  accountId: string,
  { kind, address, jsonPath }: Omit<SourceDraft, 'intervalSeconds'>,
  entityTag: string | null,
  signal?: AbortSignal,
): Promise<Omit<Reading, 'ranges'> & { readonly ranges: Reading['ranges'] | null }> {
  if (kind === 'dns') {
    const { addresses } = await outgoing.lookUp(accountId, address, signal);
    const ranges = addresses.map((found) => `${found}/${found.kind() === 'ipv4' ? 32 : 128}`);
    return { ranges: await inTurns(accountId, packRanges(ranges), signal), entityTag: null, maxAgeSeconds: 0 };
  }
  const accept = kind === 'json' ? 'application/json, */*;q=0.5' : 'text/plain, */*;q=0.5';
  const headers = { accept, ...(entityTag === null ? {} : { 'if-none-match': entityTag }) };
  const answer = await outgoing.fetch(accountId, address, { headers, bytesMax: listBytesMax }, signal);
  const maxAgeSeconds = maxAgeOf(answer.headers['cache-control']);
  if (answer.status === 304 && entityTag !== null) return { ranges: null, entityTag, maxAgeSeconds };
  if (answer.status !== 200) {
    throw unreadable(
      `cannot be read: ${new URL(answer.url).host} answers with status ${answer.status} instead of 200.`,
    );
  }
  await nextTurn();
  const text = new TextDecoder().decode(answer.body);
  await nextTurn();
  const steps = kind === 'json' ? rangesOfJson(text, jsonPath) : rangesOfText(text);
  const ranges = await inTurns(accountId, steps, signal);
  const { etag = null } = answer.headers;
  return {
    ranges: await inTurns(accountId, packRanges(ranges), signal),
    // One that is longer than this is not worth its row.
    entityTag: etag !== null && etag.length <= 500 ? etag : null,
    maxAgeSeconds,
  };
}
