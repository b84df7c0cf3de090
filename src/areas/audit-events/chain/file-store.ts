// Trails with their chains as JSON lines, and the checkpoints and keys that people keep in files.

import type { KeyObject } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { formatTimestamp, parseTimestamp } from '../../../domain/values/time.ts';
import { messageOf } from '../../../domain/wording.ts';
import type { TrailPart } from './reading-store.ts';
import { type EventRecord, readPublicKey, type SignedCheckpoint } from './rules.ts';
import type { TrailEnd, TrailHead, TrailSegment } from './verifying.ts';

/** The version of the format. */
const version = 1;

/** Writes the first line of an export. */
export function headLine({ accountId, publicKey, prunedBefore, prunedSignature }: TrailHead, asOf: Date): string {
  const trail = { version, asOf: formatTimestamp(asOf), accountId, publicKey, prunedBefore, prunedSignature };
  return JSON.stringify({ trail });
}

/** Writes the lines of a part. */
export function linesOf(part: TrailPart): string[] {
  if ('records' in part) return part.records.map((event) => JSON.stringify({ event }));
  const { number, leaves, checkpoint } = part.segment;
  const shown = checkpoint && { ...checkpoint, createdAt: formatTimestamp(checkpoint.createdAt) };
  return [JSON.stringify({ segment: { number, leaves, checkpoint: shown } })];
}

/** Writes the last line. */
export function endLine(end: TrailEnd): string {
  return JSON.stringify({ end });
}

/** A line of an export. */
type TrailLine =
  | { readonly trail: TrailHead }
  | { readonly segment: TrailSegment }
  | { readonly event: EventRecord }
  | { readonly end: TrailEnd };

/**
 * Reads an export line by line, however long it is.
 *
 * @throws Error that names the line, if it is none of an export
 */
export async function* readExport(file: string): AsyncGenerator<TrailLine> {
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    try {
      yield readLine(line);
    } catch (error) {
      throw new Error(`Line ${number} of ${file} is no line of "audit export --verifiable": ${messageOf(error)}`);
    }
  }
}

function readLine(line: string): TrailLine {
  const [[name, value] = ['', null]] = Object.entries(objectIn(JSON.parse(line)));
  if (name === 'event') return { event: readRecord(value) };
  const fields = objectIn(value);
  switch (name) {
    case 'segment': {
      const { leaves, checkpoint } = fields;
      return {
        segment: {
          number: numberIn(fields, 'number'),
          leaves: leaves === null ? null : textIn(fields, 'leaves'),
          checkpoint: checkpoint === null ? null : readCheckpoint(checkpoint),
        },
      };
    }
    case 'end':
      return { end: { size: numberIn(fields, 'size'), checkpoints: numberIn(fields, 'checkpoints') } };
    case 'trail': {
      if (fields.version !== version) throw new Error(`its version is ${String(fields.version)}.`);
      const [accountId, publicKey] = [textIn(fields, 'accountId'), textIn(fields, 'publicKey')];
      const prunedBefore = textIn(fields, 'prunedBefore');
      return { trail: { accountId, publicKey, prunedBefore, prunedSignature: textIn(fields, 'prunedSignature') } };
    }
    default:
      throw new Error('it begins with another name.');
  }
}

type Fields = Readonly<Record<string, unknown>>;

function objectIn(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('there is no object.');
  // Safe cast: any object has these.
  return value as Fields;
}

function textIn(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string') throw new Error(`"${name}" is no text.`);
  return value;
}

function numberIn(fields: Fields, name: string): number {
  const value = fields[name];
  if (!Number.isSafeInteger(value)) throw new Error(`"${name}" is no whole number.`);
  return Number(value);
}

/** Number of values that are hashed of an event. */
const recordLength = 13;

function readRecord(value: unknown): EventRecord {
  const isRecord = Array.isArray(value) && value.length === recordLength && typeof value[0] === 'string';
  if (!isRecord) throw new Error(`an event has ${recordLength} values.`);
  // Whatever else they are, their hash decides.
  return value as unknown as EventRecord;
}

/** Reads a checkpoint as the REST API, GraphQL or an export shows it. */
function readCheckpoint(value: unknown): SignedCheckpoint {
  const fields = objectIn(value);
  const named = (name: string, rest: string) => textIn(fields, name in fields ? name : rest);
  return {
    accountId: named('accountId', 'account_id'),
    number: numberIn(fields, 'number'),
    size: numberIn(fields, 'size'),
    digest: textIn(fields, 'digest'),
    head: textIn(fields, 'head'),
    signature: textIn(fields, 'signature'),
    createdAt: parseTimestamp('createdAt', named('createdAt', 'created_at')),
  };
}

/**
 * Reads the checkpoints that somebody has kept: an answer of the API, one checkpoint or a list of them.
 *
 * @throws Error that names the file, if there is none in it
 */
export function readCheckpoints(file: string): SignedCheckpoint[] {
  const text = readFileSync(file, 'utf8');
  try {
    const value: unknown = JSON.parse(text);
    const listed = Array.isArray(value) ? value : objectIn(value).audit_checkpoints;
    return Array.isArray(listed) ? listed.map(readCheckpoint) : [readCheckpoint(value)];
  } catch (error) {
    throw new Error(`${file} has no checkpoint as GET /audit_checkpoints returns it: ${messageOf(error)}`);
  }
}

/** Reads a public key in PEM. Throws Error that names the file, if it has none. */
export function readKeyFile(file: string): KeyObject {
  const key = readPublicKey(readFileSync(file, 'utf8'));
  if (key === null) throw new Error(`${file} has no public ed25519 key in PEM.`);
  return key;
}
