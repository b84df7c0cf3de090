// Differences between two states of an object, as the audit trail stores them.

import { isObject } from '../client/json.ts';
import type { EventLineFragment } from './events.generated.ts';

/** A field that differs. */
type Change = NonNullable<EventLineFragment['changes']>[number];

/** Fields that every change sets and that a restore does not bring back. */
const own = new Set(['id', 'version', 'createdAt', 'updatedAt', 'uri', 'created_at', 'updated_at']);

/** Returns the fields of a state. Nested fields are flattened into paths, such as `saml.enabled`. */
function fieldsOf(state: unknown, prefix = ''): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  if (!isObject(state)) return fields;
  for (const [name, value] of Object.entries(state)) {
    if (prefix === '' && own.has(name)) continue;
    if (isObject(value)) for (const [path, inner] of fieldsOf(value, `${prefix}${name}.`)) fields.set(path, inner);
    else fields.set(prefix + name, value);
  }
  return fields;
}

/** Returns the fields that differ between two states. A missing state has no fields. */
export function differences(from: unknown, to: unknown): Change[] {
  const before = fieldsOf(from);
  const after = fieldsOf(to);
  const changes: Change[] = [];
  for (const field of new Set([...before.keys(), ...after.keys()])) {
    const one = before.get(field) ?? null;
    const other = after.get(field) ?? null;
    if (JSON.stringify(one) === JSON.stringify(other)) continue;
    changes.push({ field, before: one, after: other, shortened: false });
  }
  return changes;
}
