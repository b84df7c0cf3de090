// The hash under which secrets and long texts are stored. Pure.

import { hash } from 'node:crypto';

/**
 * Hashes text with SHA-256, in hexadecimal. A generated secret has at least 128 random bits, so its hash cannot be brute-forced; a
 * slow hash would only cost time. Also shortens text that may be too long for a database index, such as a NameID.
 */
export function hashOf(text: string): string {
  return hash('sha256', text, 'hex');
}
