// How expectations are put into words.

import type { ExpectationKind, ExpectationOutcome, ExpectedOutcome } from '../client/types.generated.ts';
import type { ExpectationQuestionFragment, ExpectationStateFragment } from './decided.generated.ts';

/** The kinds of objects that may change what is met. */
export const decidingKinds = [
  'Expectation',
  'IpPolicy',
  'IpPolicyRule',
  'IpPolicySource',
  'IpRestriction',
  'HttpsEdge',
  'HttpsEdgeRoute',
  'TlsEdge',
  'SshCertificateAuthority',
  'SshEnrollmentToken',
  'SshHostCertificate',
] as const;

export const kindTitles: readonly { readonly value: ExpectationKind; readonly title: string }[] = [
  { value: 'ip', title: 'An address or a range at IP restrictions' },
  { value: 'gate', title: 'A request to an HTTPS edge' },
  { value: 'tls', title: 'A connection to a TLS edge' },
  { value: 'renewal', title: 'A host that renews its certificate' },
  { value: 'enrollment', title: 'A host that enrolls' },
];

const outcomes: Readonly<Record<ExpectationOutcome, string>> = {
  allowed: 'allowed',
  refused: 'refused',
  login: 'asked to log in',
  mixed: 'allowed in part',
  unknown: 'gone',
};

/** Returns the choices of what is expected of a kind. */
export function expectedTitles(
  kind: ExpectationKind,
): readonly { readonly value: ExpectedOutcome; readonly title: string }[] {
  const both = [
    { value: 'allowed', title: 'allowed' },
    { value: 'refused', title: 'refused' },
  ] as const;
  return kind === 'gate' ? [...both, { value: 'login', title: 'asked to log in' }] : both;
}

/** Says what comes of a question. */
export function outcomeOf(outcome: ExpectationOutcome, logged: boolean | null | undefined): string {
  if (logged == null) return outcomes[outcome];
  return `${outcomes[outcome]}, ${logged ? 'logged' : 'not logged'}`;
}

/** Says what is the case. */
export function stateOf({ outcome, logged }: ExpectationStateFragment): string {
  return outcomeOf(outcome, logged);
}

/** Says what is asked. */
export function questionOf(one: ExpectationQuestionFragment): string {
  const from = one.address === '' ? '' : ` from ${one.address}`;
  switch (one.kind) {
    case 'ip':
      return `${one.address} at ${one.trafficType}`;
    case 'gate':
      return `${one.method} ${one.url}${from}${one.signedIn ? `, signed in${one.groups.length === 0 ? '' : ` (${one.groups.join(', ')})`}` : ''}`;
    case 'tls':
      return `${one.serverName || 'no server name'}${from}`;
    default:
      return `${one.hostName}${from}`;
  }
}
