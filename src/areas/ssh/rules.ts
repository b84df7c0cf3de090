// What operators are told about SSH certificates. The rules of keys and certificates are in domain/ssh. Pure.

import { invalid } from '../../domain/errors.ts';
import { dayMs } from '../../domain/time.ts';

/** What `known_hosts` takes for a list of patterns: no white space, and no mark that begins another kind of line. */
const hostPatterns = /^[\w.*?:[\]!-]+(,[\w.*?:[\]!-]+)*$/;

/**
 * Writes the line that makes clients trust an authority.
 *
 * @param hosts patterns of host names, separated by commas
 * @throws INVALID_INPUT for patterns that would end the field of the line that they stand in
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

/** Gives the URL of the revocation list of an account. */
export function accountRevocationListUrl(baseUrl: string, accountId: string): string {
  return `${baseUrl}/ssh/krl/${accountId}`;
}

/** Names the certificate file beside the host key that OpenSSH makes for a type of key. */
export function certificateFileName(keyType: string): string {
  return `ssh_host_${keyType}_key-cert.pub`;
}

/** Warns of principals under which a host can pass for any other. */
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
  return null;
}

/** A range of the days until certificates expire. */
export interface DaysLeft {
  readonly label: string;
  /** Upper end, which belongs to the range; null for the last one. */
  readonly days: number | null;
}

/** The ranges that host certificates are counted in, from those that have expired on. Together they hold every certificate. */
export const daysLeftRanges: readonly DaysLeft[] = [
  { label: 'ended', days: 0 },
  { label: '0-1', days: 1 },
  { label: '1-7', days: 7 },
  { label: '7-30', days: 30 },
  { label: '30-90', days: 90 },
  { label: '90+', days: null },
];

/** Gives the moment up to which a certificate of a range expires; null for the last range. */
export function endOfRange({ days }: DaysLeft, now: Date): Date | null {
  return days === null ? null : new Date(now.getTime() + days * dayMs);
}

/**
 * Tells whether the host of a certificate is late with its renewal: half of the time in which hosts renew by themselves, the last
 * third of the validity, is over.
 */
export function isLate({ validAfter, validUntil }: { validAfter: Date; validUntil: Date }, now: Date): boolean {
  return validUntil.getTime() - now.getTime() < (validUntil.getTime() - validAfter.getTime()) / 6;
}
