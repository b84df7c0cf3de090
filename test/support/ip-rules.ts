// IP policies and restrictions as clients create them, and the refusal of an unknown policy.

import { expect } from 'vitest';
import type { TestService } from './service.ts';

/** Creates a policy with rules such as `allow 10.0.0.0/8`; returns its id. */
export async function makePolicy({ rest }: Pick<TestService, 'rest'>, rules: readonly string[]): Promise<string> {
  const { id } = (await rest('POST', '/ip_policies')).body;
  for (const rule of rules) {
    const [action, cidr] = rule.split(' ');
    const { status } = await rest('POST', '/ip_policy_rules', { ip_policy_id: id, action, cidr });
    expect(status).toBe(201);
  }
  return id;
}

/** Creates a restriction with policies, of type `endpoints` and enforced unless told otherwise; returns its id. */
export async function makeRestriction(
  { rest }: Pick<TestService, 'rest'>,
  ip_policy_ids: readonly string[],
  { type = 'endpoints', enforced = true } = {},
): Promise<string> {
  const { status, body } = await rest('POST', '/ip_restrictions', { type, enforced, ip_policy_ids });
  expect(status).toBe(201);
  return body.id;
}

/** Returns the message about an unknown policy. Text that is not an id is not repeated, because it may be a secret. */
export function noSuchPolicy(id: string): string {
  return `There is no ${/^[a-z]+_[0-9a-z]{26}$/.test(id) ? `IP policy "${id}"` : 'such IP policy'} in this account.`;
}
