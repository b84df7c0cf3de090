// Lines, URLs and warnings about SSH certificates, for operators. Pure.

import { invalid } from '../../domain/errors.ts';
import { dayMs } from '../../domain/values/time.ts';

/** A list of patterns in `known_hosts`: no white space, and no character that begins another kind of line. */
const hostPatterns = /^[\w.*?:[\]!-]+(,[\w.*?:[\]!-]+)*$/;

/**
 * Returns the `known_hosts` line that makes clients trust an authority.
 *
 * @param hosts patterns of host names, separated by commas
 * @throws INVALID_INPUT for patterns that could break out of their field of the line
 */
export function knownHostsLine(hosts: string, publicKey: string): string {
  if (!hostPatterns.test(hosts)) {
    throw invalid(
      'hosts',
      'must be patterns of host names, separated by commas without spaces: *.example.com,10.0.0.*',
    );
  }
  return `@cert-authority ${hosts} ${publicKey}`;
}

/** Returns the URL of the revocation list of an account. */
export function accountRevocationListUrl(baseUrl: string, accountId: string): string {
  return `${baseUrl}/ssh/krl/${accountId}`;
}

/** Returns the name of the certificate file that belongs next to OpenSSH's default host key of a type. */
export function certificateFileName(keyType: string): string {
  return `ssh_host_${keyType}_key-cert.pub`;
}

/** Returns a warning if the principals let a host impersonate any other, or if not every client matches them; otherwise null. */
export function principalsWarning(principals: readonly string[]): string | null {
  if (principals.length === 0) {
    return (
      'The certificate is valid for all hosts: anyone who has its key can impersonate any of them. OpenSSH 10.3 and ' +
      'later reject it.'
    );
  }
  if (principals.includes('*')) {
    return (
      'The certificate is valid for all hosts: anyone who has its key can impersonate any of them. OpenSSH before 10.3 ' +
      'rejects it.'
    );
  }
  if (principals.some((principal) => principal.includes('*'))) {
    return 'OpenSSH before 10.3 does not match wildcards: those clients reject hosts that no other principal names.';
  }
  return null;
}

/** A range of days until certificates expire. */
export interface DaysLeft {
  readonly label: string;
  /** Inclusive upper end; null for the last range. */
  readonly days: number | null;
}

/** The ranges that host certificates are counted in, starting with those that have expired. They cover every certificate. */
export const daysLeftRanges: readonly DaysLeft[] = [
  { label: 'ended', days: 0 },
  { label: '0-1', days: 1 },
  { label: '1-7', days: 7 },
  { label: '7-30', days: 30 },
  { label: '30-90', days: 90 },
  { label: '90+', days: null },
];

/** Returns the latest time at which a certificate in a range expires; null for the last range. */
export function endOfRange({ days }: DaysLeft, now: Date): Date | null {
  return days === null ? null : new Date(now.getTime() + days * dayMs);
}

/** Longest time before the end of a certificate, in days, in which its host can be late. */
export const lateDaysMax = 30;

/** What determines whether a certificate needs somebody. */
export interface Standing {
  readonly validAfter: Date;
  readonly validUntil: Date;
}

/** The states of a certificate that nothing has replaced, as attention, `doctor` and the metrics report them. */
export const standings = ['on_time', 'late', 'ended'] as const;

/**
 * Returns the state of a certificate that nothing has replaced. A host is late if less than a sixth of the validity is left, and at
 * most `lateDaysMax` days: hosts renew by themselves in the last third, and half of that time is over. What has ended stays so until
 * it is replaced or deleted.
 */
export function standingOf({ validAfter, validUntil }: Standing, now: Date): (typeof standings)[number] {
  const left = validUntil.getTime() - now.getTime();
  if (left <= 0) return 'ended';
  const isLate = left <= lateDaysMax * dayMs && left * 6 < validUntil.getTime() - validAfter.getTime();
  return isLate ? 'late' : 'on_time';
}
