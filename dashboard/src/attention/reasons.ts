// What the dashboard says about each reason for attention, and where to do something about it.

import { pageOf } from '../client/kinds.ts';
import type { AttentionCode } from '../client/types.generated.ts';
import { count } from '../kit/words.ts';
import type { AttentionItem } from './attention.tsx';

/** A reason for attention. */
interface Reason {
  /** What a group of it is, in a few words. */
  readonly sayMany: (number: number) => string;
  /** The label of the link to where something is done about it. */
  readonly action: string;
  /** Returns where that is; the page of the object unless given, and `list` for several objects. */
  readonly hrefOf?: (item: AttentionItem) => string | null;
  readonly list: string;
}

const refused = (actor: string | null) =>
  `/audit-trail?${new URLSearchParams({ action: 'refuse', ...(actor !== null && { actor }) })}`;

/** The certificates of an item: one, or the late ones of an authority. */
const certificatesEnding = ({ subjectId, subjectKind, severity }: AttentionItem) =>
  subjectKind === 'SshCertificateAuthority' && subjectId !== null
    ? `${certificates}&ends=${severity === 'critical' ? '24h' : '30d'}&authority=${subjectId}`
    : null;
const certificatesEnded = ({ subjectId, subjectKind }: AttentionItem) =>
  subjectKind === 'SshCertificateAuthority' && subjectId !== null
    ? `${certificates}&ends=ended&authority=${subjectId}`
    : null;
const certificates = '/ssh?tab=certificates';

const restrictions = '/ip-restrictions';
const httpsEdges = '/https-edges';

/** Every reason, by its code. */
const reasons: Readonly<Record<AttentionCode, Reason>> = {
  api_key_expires: {
    sayMany: (number) => `${count(number, 'API key')} expire within 14 days`,
    action: 'See the key',
    list: '/api-keys',
  },
  api_key_old: {
    sayMany: (number) => `${count(number, 'API key')} never expire, and are older than a year`,
    action: 'See the key',
    list: '/api-keys',
  },
  approvals_wait: {
    sayMany: (number) => `${count(number, 'change')} ${number === 1 ? 'waits' : 'wait'} for a second person`,
    action: 'See what waits',
    list: '/approvals',
  },
  expectation_fails: {
    sayMany: (number) => `${count(number, 'expectation')} are not met`,
    action: 'See why',
    list: '/expectations',
  },
  ip_policy_deleted: {
    sayMany: (number) => `${count(number, 'IP restriction')} refer to deleted policies`,
    action: 'Change its policies',
    list: restrictions,
  },
  ip_policy_empty: {
    sayMany: (number) => `${count(number, 'IP policy', 'IP policies')} without rules are in use`,
    action: 'Add rules',
    list: '/ip-policies',
  },
  ip_policy_source_old: {
    sayMany: (number) => `${count(number, 'source')} of IP policies cannot be read`,
    action: 'See the policies',
    list: '/ip-policies',
  },
  ip_policy_source_waits: {
    sayMany: (number) => `${count(number, 'source')} of IP policies wait to be confirmed`,
    action: 'See the policies',
    list: '/ip-policies',
  },
  ip_policy_rules_end: {
    sayMany: (number) => `${count(number, 'rule')} of IP policies end within a day`,
    action: 'See its rules',
    list: '/ip-policies',
  },
  ip_restriction_admits_nobody: {
    sayMany: (number) => `${count(number, 'IP restriction')} let nobody in`,
    action: 'Change its policies',
    list: restrictions,
  },
  ip_restriction_module_admits_everybody: {
    sayMany: (number) => `${count(number, 'route')} let all addresses in without a login that no rule denies`,
    action: 'Change who may come in',
    list: '/https-edges',
  },
  ip_restriction_module_admits_nobody: {
    sayMany: (number) => `${count(number, 'route or TLS edge', 'routes and TLS edges')} let no address in`,
    action: 'Change who may come in',
    list: '/https-edges',
  },
  ip_restriction_module_disabled: {
    sayMany: (number) => `${count(number, 'route or TLS edge', 'routes and TLS edges')} let every address in`,
    action: 'Change who may come in',
    list: '/https-edges',
  },
  ip_restriction_would_refuse: {
    sayMany: (number) => `${count(number, 'request')} would have been refused`,
    action: 'See whose',
    list: restrictions,
  },
  webhook_fails: {
    sayMany: (number) => `${count(number, 'webhook')} ${number === 1 ? 'fails' : 'fail'}`,
    action: 'See what its receiver answers',
    list: '/webhooks',
  },
  logins_fail: {
    sayMany: (number) => `${count(number, 'login')} failed within the last hour`,
    action: 'See them',
    hrefOf: () => refused(null),
    list: refused(null),
  },
  requests_refused: {
    sayMany: (number) => `${count(number, 'request')} were refused within the last 24 hours`,
    action: 'See them',
    hrefOf: ({ subjectId }) => refused(subjectId),
    list: refused(null),
  },
  oidc_client_secret_missing: {
    sayMany: (number) => `Client secrets of OpenID Connect are missing: ${count(number, 'route')}`,
    action: 'Enter the secret',
    list: httpsEdges,
  },
  oidc_provider_fails: {
    sayMany: (number) => `OpenID providers could not be used: ${count(number, 'route')}`,
    action: 'See the login',
    list: httpsEdges,
  },
  saml_certificate_expired: {
    sayMany: (number) => `Certificates of identity providers have expired: ${count(number, 'route')}`,
    action: 'Replace metadata',
    list: httpsEdges,
  },
  saml_certificate_expires: {
    sayMany: (number) => `Certificates of identity providers expire within 30 days: ${count(number, 'route')}`,
    action: 'Replace metadata',
    list: httpsEdges,
  },
  saml_login_prevented: {
    sayMany: (number) => `Metadata of identity providers lacks what logins need: ${count(number, 'route')}`,
    action: 'Replace metadata',
    list: httpsEdges,
  },
  saml_metadata_expired: {
    sayMany: (number) => `Metadata of identity providers has expired: ${count(number, 'route')}`,
    action: 'Replace metadata',
    list: httpsEdges,
  },
  saml_metadata_expires: {
    sayMany: (number) => `Metadata of identity providers expires within 30 days: ${count(number, 'route')}`,
    action: 'Replace metadata',
    list: httpsEdges,
  },
  saml_metadata_keys_changed: {
    sayMany: (number) => `All keys of identity providers have changed: ${count(number, 'route')}`,
    action: 'Check it',
    list: httpsEdges,
  },
  saml_metadata_old: {
    sayMany: (number) => `Metadata of identity providers cannot be read at its address: ${count(number, 'route')}`,
    action: 'Check the address',
    list: httpsEdges,
  },
  saml_request_certificate_expires: {
    sayMany: (number) => `Certificates for identity providers expire: ${count(number, 'route')}`,
    action: 'Replace the keys',
    hrefOf: ({ subjectId, subjectKind }) =>
      subjectKind === 'HttpsEdgeRoute' && subjectId !== null ? `/https-edges/routes/${subjectId}?tab=provider` : null,
    list: httpsEdges,
  },
  ssh_authority_hand_over: {
    sayMany: (number) => `${count(number, 'SSH authority', 'SSH authorities')} can hand over`,
    action: 'Hand over',
    list: '/ssh',
  },
  ssh_authority_old: {
    sayMany: (number) => `${count(number, 'SSH authority', 'SSH authorities')} have keys of more than five years`,
    action: 'Announce a successor',
    list: '/ssh',
  },
  ssh_authority_retire: {
    sayMany: (number) => `${count(number, 'SSH authority', 'SSH authorities')} can retire`,
    action: 'Retire it',
    list: '/ssh',
  },
  ssh_certificates_expire: {
    sayMany: (number) => `${count(number, 'host certificate')} expire`,
    action: 'Renew',
    hrefOf: certificatesEnding,
    list: certificates,
  },
  ssh_certificates_expired: {
    sayMany: (number) => `${count(number, 'host certificate')} have expired`,
    action: 'Enroll again',
    hrefOf: certificatesEnded,
    list: `${certificates}&ends=ended`,
  },
  tls_edge_expression_never_true: {
    sayMany: (number) => `${count(number, 'expression')} of traffic policies are never true`,
    action: 'Change the policy',
    list: '/tls-edges',
  },
  tls_edge_ip_policy_empty: {
    sayMany: (number) => `Traffic policies name ${count(number, 'IP policy', 'IP policies')} without rules`,
    action: 'Change the policy',
    list: '/tls-edges',
  },
};

/** Returns what a group is, in a few words. */
export const sayGroup = (code: AttentionCode, number: number): string => reasons[code].sayMany(number);

/** Returns the one link with which to act on an item. */
export function actionOf(code: AttentionCode, item: AttentionItem): { readonly title: string; readonly href: string } {
  const { action, hrefOf, list } = reasons[code];
  const { subjectId, subjectKind } = item;
  const page = subjectId === null || subjectKind === null ? null : pageOf(subjectKind, subjectId);
  return { title: action, href: hrefOf?.(item) ?? page ?? list };
}
