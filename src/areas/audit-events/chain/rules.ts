// The hash chain over the events of an account: what is hashed of an event, how hashes are chained, and what is signed. Pure.

import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';
import { formatTimestamp } from '../../../domain/values/time.ts';

/**
 * What is hashed of an event: these columns, in this order. Without the commit order, which only places it; and with the state as it
 * is stored, because parsed JSON may be written in other ways. Databases compute the same hashes (see `readLeaves`).
 */
export const recordColumns = [
  'id',
  'accountId',
  'createdAt',
  'action',
  'kind',
  'objectId',
  'version',
  'actor',
  'actorDescription',
  'requestId',
  'surface',
  'clientAddress',
  'state',
] as const;

/** The values of these columns, the time in milliseconds since 1970. */
export type EventRecord = readonly [id: string, accountId: string, ...others: (string | number | null)[]];

/** An event, with what is hashed of it. */
type StoredEvent = { readonly id: string; readonly accountId: string; readonly createdAt: Date } & Readonly<
  Record<Exclude<(typeof recordColumns)[number], 'id' | 'accountId' | 'createdAt'>, string | number | null>
>;

/** Returns what is hashed of an event. */
export function recordOf(event: StoredEvent): EventRecord {
  const [id, accountId, ...others] = recordColumns;
  const rest = others.map((name) => (name === 'createdAt' ? event[name].getTime() : event[name]));
  return [event[id], event[accountId], ...rest];
}

/** Returns the line of an event in its segment: its id, and the SHA-256 of its JSON. */
export function leafOf(id: string, json: string): string {
  return `${id} ${hash('sha256', json, 'hex')}`;
}

/** Most events between two checkpoints. */
export const segmentEventsMax = 1_024;
/** Milliseconds after which new events get a checkpoint, however few they are. */
export const checkpointMs = 3_600_000;

/** Writes the lines of a segment as its text. */
export function leavesText(leaves: readonly string[]): string {
  return leaves.map((leaf) => `${leaf}\n`).join('');
}

/** Returns the lines of a segment from its text. */
export function leavesIn(text: string): string[] {
  return text.split('\n').slice(0, -1);
}

/** Returns the digest of a segment. */
export function digestOf(leaves: string): string {
  return hash('sha256', leaves, 'hex');
}

/** What a checkpoint states. */
export interface CheckpointClaim {
  readonly accountId: string;
  readonly number: number;
  /** Number of events up to it. */
  readonly size: number;
  readonly digest: string;
  readonly head: string;
  /** In whole seconds, as answers show it. */
  readonly createdAt: Date;
}

/** A checkpoint that somebody holds. */
export interface SignedCheckpoint extends CheckpointClaim {
  readonly signature: string;
}

/** Returns the head of the chain at a checkpoint. */
export function headOf(
  { accountId, number, size, digest }: Omit<CheckpointClaim, 'head' | 'createdAt'>,
  headBefore: string,
): string {
  const text = ['sallyport-audit-head-v1', accountId, number, size, digest, headBefore];
  return hash('sha256', linesOf(text), 'hex');
}

/** Returns the text that is signed for a checkpoint. */
function statementOf({ accountId, number, size, digest, head, createdAt }: CheckpointClaim): string {
  const time = formatTimestamp(createdAt);
  return linesOf(['sallyport-audit-checkpoint-v1', accountId, number, size, digest, head, time]);
}

/** Returns the text that is signed before events from before an id are deleted because of their age. */
function pruningOf(accountId: string, before: string): string {
  return linesOf(['sallyport-audit-pruning-v1', accountId, before]);
}

function linesOf(values: readonly (string | number)[]): string {
  return values.map((value) => `${value}\n`).join('');
}

/** Signs for the chain of an account. */
export interface ChainSigner {
  checkpoint(claim: CheckpointClaim): string;
  pruning(accountId: string, before: string): string;
}

/** Creates the signer of a private ed25519 key in DER (PKCS #8). */
export function createSigner(privateKey: Uint8Array): ChainSigner {
  const key = createPrivateKey({ key: Buffer.from(privateKey), format: 'der', type: 'pkcs8' });
  const signed = (text: string) => sign(null, Buffer.from(text), key).toString('base64');
  return {
    checkpoint: (claim) => signed(statementOf(claim)),
    pruning: (accountId, before) => signed(pruningOf(accountId, before)),
  };
}

/** Reads a public ed25519 key in PEM; null for anything else. */
export function readPublicKey(pem: string): KeyObject | null {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === 'ed25519' ? key : null;
  } catch {
    return null;
  }
}

/** Returns whether a key signed a checkpoint. */
export function isSigned(checkpoint: SignedCheckpoint, key: KeyObject): boolean {
  return verify(null, Buffer.from(statementOf(checkpoint)), key, Buffer.from(checkpoint.signature, 'base64'));
}

/** Returns whether a key signed that events from before an id may have been deleted. */
export function isPruningSigned(accountId: string, before: string, signature: string, key: KeyObject): boolean {
  return verify(null, Buffer.from(pruningOf(accountId, before)), key, Buffer.from(signature, 'base64'));
}
