// The first steps of a new account, until each is done.

import { allows } from '../../client/rights.ts';
import type { FirstStepsQuery, FirstStepsQueryVariables } from './first-steps.generated.ts';

/** A step. */
export interface Step {
  readonly title: string;
  /** What one has of it. */
  readonly gives: string;
  readonly action: string;
  readonly href: string;
  /** The scope that it needs. */
  readonly scope: string;
  /** Whether it is done, as far as the answer tells. */
  readonly isDone: (answer: FirstStepsQuery) => boolean;
}

/** Edges beyond those that are looked at: who has so many is past the first steps. */
const hasMany = ({ httpsEdges }: FirstStepsQuery) => (httpsEdges?.totalCount ?? 0) > (httpsEdges?.nodes.length ?? 0);

export const steps: readonly Step[] = [
  {
    title: 'Restrict who may come in',
    gives:
      'Your API, this dashboard and your endpoints answer only the addresses that you name. It begins by only warning.',
    action: 'New restriction',
    href: '/ip-restrictions?new=1',
    scope: 'ip-restrictions:write',
    isDone: ({ ipRestrictions }) => ipRestrictions?.totalCount !== 0,
  },
  {
    title: 'Certify your hosts',
    gives: 'Clients know every host by one line, with no question about a fingerprint, and hosts renew by themselves.',
    action: 'Issue a certificate',
    href: '/ssh?tab=certificates&new=1',
    scope: 'ssh:write',
    isDone: ({ sshHostCertificates }) => sshHostCertificates?.totalCount !== 0,
  },
  {
    title: 'Have people log in',
    gives: 'Nobody reaches an application behind your proxy without a login at your identity provider.',
    action: 'New HTTPS edge',
    href: '/https-edges?new=1',
    scope: 'https-edges:write',
    isDone: (answer) =>
      hasMany(answer) ||
      answer.httpsEdges?.nodes.some(({ routes }) => routes.some(({ saml, oidc }) => (saml ?? oidc) !== null)) !== false,
  },
];

/** Returns the variables that ask only for what a key with these scopes may do. */
export function askedSteps(scopes: readonly string[]): FirstStepsQueryVariables {
  const [restrictions = false, certificates = false, logins = false] = steps.map(({ scope }) => allows(scopes, scope));
  return { restrictions, certificates, logins };
}

/** Name under which this browser remembers the accounts whose first steps are done or not wanted: then nothing is asked any more. */
const name = 'sallyport-past-first-steps';
const past = (): readonly string[] => localStorage.getItem(name)?.split(' ') ?? [];

/** Returns whether an account is past its first steps, as far as this browser knows. */
export const isPastFirstSteps = (accountId: string): boolean => past().includes(accountId);

/** Remembers that an account is past its first steps. */
export function passFirstSteps(accountId: string): void {
  if (!isPastFirstSteps(accountId)) localStorage.setItem(name, [...past(), accountId].join(' '));
}
