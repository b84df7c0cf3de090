// Validation of tunnel-group backends. Pure.

import { invalid } from '../../domain/errors.ts';
import { readJsonAs } from '../../domain/values/decode.ts';
import { isJsonObject, type JsonObject } from '../../domain/values/json.ts';
import { checkServerAddress } from '../../domain/values/server-address.ts';
import { checkText } from '../../domain/values/text.ts';

export const labelsMax = 64;
/** Maximum length of the key and of the value of a label, in bytes of UTF-8. */
export const labelBytesMax = 255;

/**
 * Checks the labels of a backend. There may be none: the backend then groups no tunnels.
 *
 * @returns the labels as JSON text, with their keys in the order given
 * @throws INVALID_INPUT for anything but a map of strings to strings, for too many labels, and for a label with an empty key, that
 *   is too long, or that contains `=`, because agents write labels as `key=value`
 */
export function writeLabels(labels: unknown): string {
  if (!isJsonObject(labels)) throw invalid('labels', 'must be an object whose values are strings.');
  const entries = Object.entries(labels);
  if (entries.length > labelsMax) {
    throw invalid('labels', `must have at most ${labelsMax} labels; it has ${entries.length}.`);
  }
  for (const [key, value] of entries) {
    checkText('labels', key, labelBytesMax);
    if (key === '') throw invalid('labels', 'must not have an empty key.');
    const shown = JSON.stringify(key);
    if (typeof value !== 'string') throw invalid('labels', `must have a string as the value of ${shown}.`);
    checkText('labels', value, labelBytesMax);
    if (key.includes('=') || value.includes('=')) {
      throw invalid('labels', `must not contain "=" in a key or value, as the label ${shown} does.`);
    }
  }
  return JSON.stringify(labels);
}

/** Parses the labels that `writeLabels` returned. Throws `Error` for anything else. */
export function readLabels(text: string): JsonObject {
  return readJsonAs(text, isJsonObject, 'labels');
}

export const targetsMax = 100;

/** What the targets of a backend expect: TLS as the client sent it, or none. */
export const targetTls = ['passthrough', 'none'] as const;
export type TargetTls = (typeof targetTls)[number];

/**
 * Checks the targets of a backend and returns them in the order given, each once, as in every list of the API.
 *
 * @throws INVALID_INPUT on `targets[i]` for what is no host name or IP address with a port
 */
export function checkTargets(targets: readonly string[]): string[] {
  for (const [index, target] of targets.entries()) checkServerAddress(`targets[${index}]`, target);
  return [...new Set(targets)];
}
