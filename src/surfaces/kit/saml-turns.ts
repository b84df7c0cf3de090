// The turns in which SAML messages are checked and signed, and the count of what is decrypted: for the gate and the dashboard together.

import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { createWorkQueue } from '../../domain/concurrency/work-queue.ts';
import type { Decryption } from '../../domain/saml/decryption.ts';

/**
 * Checks of messages, with all that is done for them once their bytes have come: checking a forgery takes time, and anybody can send
 * one. Decisions of the gate get a turn between any two, and as much time as both. Each message that waits takes up to a quarter of
 * a megabyte, so all of them together take 200 MB at most. Forged logins do not hold up logouts.
 */
const checksOf = () =>
  createWorkQueue({
    atOnce: 1,
    waitingMax: 150,
    waitingMaxOfSender: 100,
    waitingMaxOfAll: 400,
    rests: true,
    failureStepMs,
  });
/**
 * When a refusal is told, whatever it is for: a decryption that fails takes another time than a wrong signature. More than twice what
 * the dearest forgery takes.
 */
const failureStepMs = 30;
export const checks = { login: checksOf(), logout: checksOf() };
/** Our own signatures: anybody who begins a login gets one. Apart from the checks, so that forgeries do not hold up logins. */
export const signatures = createWorkQueue({ atOnce: 1, waitingMax: 200, waitingMaxOfSender: 150, rests: true });
/**
 * How often one encrypted key is tried: an honest one comes once, or again with a form that is sent again. What is changed of a message
 * to learn from the answers has the same. To make room for more tries, one has to have as many others refused.
 */
const triesMax = 5;
const triedKeysMax = 20_000;
/** How many bytes tell encrypted keys apart: they are random. */
const triedKeyBytes = 32;
const tries = new LRUCache<string, number>({ max: triedKeysMax });

/** Returns what it takes to decrypt messages: keys, each of which is opened when it is needed. */
export function decryptionOf(
  openKeys: () => readonly KeyObject[],
  randomBytes: (size: number) => Uint8Array,
): Decryption {
  const mayTry = (encryptedKey: Uint8Array) => {
    const name = Buffer.from(encryptedKey).toString('base64', 0, triedKeyBytes);
    const count = (tries.get(name) ?? 0) + 1;
    tries.set(name, count);
    return count <= triesMax;
  };
  return { openKeys, mayTry, randomBytes };
}
