// The rules of a traffic policy, and their stored form.

import { readJsonList } from '../../../domain/values/decode.ts';
import { isJsonObject } from '../../../domain/values/json.ts';

export interface EndpointAction {
  readonly type: string;
  readonly config?: unknown;
}

/** A rule of a traffic policy. Fields that are absent or null are not set. */
export interface EndpointRule {
  readonly name?: string | null | undefined;
  readonly expressions?: readonly string[] | null | undefined;
  readonly actions: readonly EndpointAction[];
}

/** Parses the rules of a policy from their stored text. Throws `Error` for anything else. */
export function readRules(text: string): EndpointRule[] {
  return readJsonList(text, isRule, 'rules');
}

function isRule(value: unknown): value is EndpointRule {
  if (!isJsonObject(value)) return false;
  const { name, expressions, actions } = value;
  return (
    (name == null || typeof name === 'string') &&
    (expressions == null || (Array.isArray(expressions) && expressions.every((one) => typeof one === 'string'))) &&
    Array.isArray(actions) &&
    actions.every((action) => isJsonObject(action) && typeof action.type === 'string')
  );
}
