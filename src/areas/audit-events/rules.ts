// Reads what audit events hold: actors, states, refusals, and what changed between two states of an object. Pure.

import type { Refusal } from '../../domain/access/refusal.ts';
import { readAs, readChoice } from '../../domain/values/decode.ts';
import { type Kind, kindOfId } from '../../domain/values/ids.ts';
import { isJsonObject, type JsonObject, readJsonObject } from '../../domain/values/json.ts';
import { truncateText } from '../../domain/values/text.ts';

const otherActors = ['cli', 'user', 'identity_provider', 'system'] as const;
/** Actors that have an id. */
const actorByKind = {
  ApiKey: 'api_key',
  Person: 'person',
  SshHostCertificate: 'ssh_host_certificate',
  SshEnrollmentToken: 'ssh_enrollment_token',
} as const satisfies Partial<Record<Kind, string>>;
export type ActorType = (typeof otherActors)[number] | (typeof actorByKind)[keyof typeof actorByKind];

/** Returns the type of an actor, which is given as an id or as the type itself. */
export function actorTypeOf(actor: string): ActorType {
  const kind = kindOfId(actor);
  return kind !== null && kind in actorByKind
    ? // Safe cast: checked by `in`.
      actorByKind[kind as keyof typeof actorByKind]
    : readChoice(otherActors, actor);
}

/** Returns the id of an actor; null if it has none. */
export function actorIdOf(actor: string): string | null {
  return kindOfId(actor) === null ? null : actor;
}

/** A field of an object, with its values before and after a change; null if not set. */
export interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
  /** Whether either value is shown shortened. */
  readonly isShortened: boolean;
}

/** Maximum size of a value that is shown whole, in bytes of UTF-8; a value that is not text is measured as JSON. */
export const shownBytesMax = 256;

/** Parses the state of a refused request's event. Throws `Error` for anything else. */
export function readRefusal(text: string): Refusal {
  const { code, asked, reason, leftOut } = readJsonObject(text);
  return {
    code: readAs(code, isText, 'a code'),
    asked: readAs(asked, isTextOrNull, 'what was asked for'),
    reason: readAs(reason, isTextOrNull, 'a reason'),
    leftOut: Number(leftOut),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || isText(value);
}

/** Compares two states. Before an object is created and after it is deleted, its state is empty. */
export function changesBetween(before: JsonObject, after: JsonObject): FieldChange[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])];
  return names.flatMap((field) => {
    const values = [old.get(field) ?? null, now.get(field) ?? null] as const;
    if (JSON.stringify(values[0]) === JSON.stringify(values[1])) return [];
    const [shownBefore, shownAfter] = [shortened(values[0]), shortened(values[1])];
    const isShortened = shownBefore !== values[0] || shownAfter !== values[1];
    return [{ field, before: shownBefore, after: shownAfter, isShortened }];
  });
}

/** Returns the fields of a state. Those of a module are prefixed with its name: `saml.enabled`. */
function fieldsOf(state: JsonObject, prefix = ''): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const [name, value] of Object.entries(state)) {
    if (!isJsonObject(value)) fields.set(`${prefix}${name}`, value);
    else for (const [inner, member] of fieldsOf(value, `${prefix}${name}.`)) fields.set(inner, member);
  }
  return fields;
}

function shortened(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const shown = truncateText(text, shownBytesMax);
  return shown === text ? value : `${shown}…`;
}
