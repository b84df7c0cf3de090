// What needs somebody's attention: how it is described, and in which order it is shown. Pure. The areas find the items
// (`areas/*/attention-store.ts`).

import { groupBy } from './values/maps.ts';
import { dayMs } from './values/time.ts';
import type { Nameable } from './wording.ts';

/** How urgent something is, the most urgent first. */
export const attentionSeverities = {
  critical: 'Something does not work, or will stop working within a day.',
  warning: 'Something will stop working, or does not do what it seems to.',
  notice: 'Something to do or look at when there is time.',
} as const;
export type AttentionSeverity = keyof typeof attentionSeverities;

/** Every kind of item that is looked for, in the order in which equally urgent items are shown. */
export const attentionCodes = {
  approvals_wait: 'Changes wait for the approval of a second person.',
  ip_restriction_admits_nobody:
    'No policy of an IP restriction has any rules, because all are empty or deleted, or their rules have ended: it allows nobody.',
  ip_restriction_module_admits_nobody:
    'No policy of the IP restriction module of a route or TLS edge has any rules, because all are empty or deleted, or their rules have ended: it allows nobody.',
  ip_restriction_module_admits_everybody:
    'A policy of the IP restriction module of a route has a rule for all addresses, and an allowed address needs no login.',
  expectation_fails: 'An expectation is not met: somebody is let in, refused, or treated otherwise than it says.',
  saml_login_prevented: 'The metadata of an identity provider lacks something that logins need.',
  oidc_client_secret_missing: 'The client secret of a route was lost in a restoration: nobody can log in.',
  saml_metadata_expired: 'The metadata of an identity provider has expired: nobody can log in.',
  ssh_certificates_expired: 'Host certificates have expired, and their hosts have no newer ones.',
  ssh_certificates_expire: 'Host certificates expire, and their hosts are late to renew them.',
  api_key_expires: 'An API key expires within 14 days.',
  saml_metadata_expires: 'The metadata of an identity provider expires within 30 days.',
  saml_certificate_expired:
    'A signing certificate of an identity provider has expired; the provider may have replaced it.',
  saml_certificate_expires: 'A signing certificate of an identity provider expires within 30 days.',
  saml_request_certificate_expires:
    'A certificate of ours for an identity provider, for signatures or for encryption, has expired or expires within 90 days.',
  saml_metadata_keys_changed:
    'None of the signing keys of an identity provider that were read at an address within seven days had been known before.',
  saml_metadata_old:
    'The metadata of an identity provider cannot be read at its address for an hour: what was read before stays in force.',
  oidc_provider_fails: 'An OpenID provider could not be used when somebody last wanted to log in, within a day.',
  ip_policy_source_waits:
    'The list of a source of an IP policy has shrunk so much, or would break an expectation, that it waits to be confirmed.',
  ip_policy_source_old: 'A source of an IP policy cannot be read: its ranges are those of the last time.',
  ip_policy_rules_end: 'Rules of an IP policy end within a day.',
  webhook_fails:
    'The receiver of a webhook has failed for ten minutes, or messages were set aside because it failed for a day.',
  logins_fail: 'Users failed to log in at a route within the last hour.',
  ip_restriction_would_refuse: 'A warning-only IP restriction would have refused requests within the last hour.',
  ip_restriction_module_disabled: 'The IP restriction module of a route or TLS edge is disabled: every address passes.',
  ip_policy_deleted: 'An IP restriction refers to policies that have been deleted.',
  ip_policy_empty: 'An IP policy that an IP restriction refers to has no rules.',
  tls_edge_ip_policy_empty:
    'The traffic policy of a TLS edge names IP policies that are empty or deleted, or whose rules have ended.',
  tls_edge_expression_never_true:
    'The traffic policy of a TLS edge has expressions that cannot be evaluated for any connection: their rules never apply.',
  requests_refused: 'Requests of a key or a host were refused within the last 24 hours.',
  ssh_authority_hand_over: 'A certificate authority has announced a successor but not handed over to it.',
  ssh_authority_retire:
    'A certificate authority has handed over, and all certificates it signed have expired: it can retire.',
  api_key_old: 'An API key that never expires is older than a year.',
  ssh_authority_old: 'The key of a certificate authority is older than five years, and has no successor.',
} as const;
export type AttentionCode = keyof typeof attentionCodes;

/** Something that needs attention. */
export interface Attention {
  readonly code: AttentionCode;
  readonly severity: AttentionSeverity;
  /** One or two sentences: what is wrong, and what to do. */
  readonly message: string;
  /** The number of objects or events concerned. */
  readonly count: number;
  /** When it will happen, or last happened; null for a state without a time. */
  readonly at: Date | null;
  /** The object concerned, which the message names and which may be gone; null if there are several. */
  readonly subject: Nameable | null;
}

const severityOrder = Object.keys(attentionSeverities);
const codeOrder = Object.keys(attentionCodes);

/** By id, and those that are not about a single object last: they may stand for others. */
const subjectOrder = ({ subject }: Attention) => subject?.id ?? '~';

/** Sorts items by urgency, the most urgent first, and equally urgent ones by time. */
export function mostUrgentFirst(found: readonly Attention[], now: Date): Attention[] {
  const momentOf = ({ at }: Attention) => (at ?? now).getTime();
  return [...found].sort(
    (one, other) =>
      severityOrder.indexOf(one.severity) - severityOrder.indexOf(other.severity) ||
      momentOf(one) - momentOf(other) ||
      codeOrder.indexOf(one.code) - codeOrder.indexOf(other.code) ||
      (subjectOrder(one) < subjectOrder(other) ? -1 : 1),
  );
}

/** Everything that needs attention for the same reason, the most urgent first. */
export interface AttentionGroup extends Pick<Attention, 'code' | 'severity' | 'count' | 'at'> {
  readonly items: readonly Attention[];
}

/** Groups items by code. A group is as urgent as the most urgent item in it, and has the time of that item. */
export function attentionGroups(found: readonly Attention[], now: Date): AttentionGroup[] {
  const byCode = groupBy(mostUrgentFirst(found, now), ({ code }) => code);
  return [...byCode.values()].flatMap((items) => {
    const [first] = items;
    if (first === undefined) return [];
    const { code, severity, at } = first;
    return [{ code, severity, at, count: countOf(items), items }];
  });
}

const countOf = (items: readonly Attention[]) => items.reduce((sum, { count }) => sum + count, 0);

/**
 * Keeps the most urgent items, and replaces the others of each code by one that counts them, so that ten thousand are neither sent
 * nor forgotten.
 */
export function mostUrgent(found: readonly Attention[], most: number, now: Date): Attention[] {
  const sorted = mostUrgentFirst(found, now);
  const others = attentionGroups(sorted.slice(most), now).map(({ items: _, ...group }) => othersOf(group));
  return [...sorted.slice(0, most), ...others];
}

/** Returns the item that stands for further ones of its code. */
export function othersOf(others: Pick<Attention, 'code' | 'severity' | 'count' | 'at'>): Attention {
  return { ...others, message: `${others.count} more like these: ${attentionCodes[others.code]}`, subject: null };
}

/** Returns the severity of something that stops working at `end`: critical if that is within a day. */
export function urgencyOf(end: Date, now: Date): AttentionSeverity {
  return end.getTime() - now.getTime() <= dayMs ? 'critical' : 'warning';
}
