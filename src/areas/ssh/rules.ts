// What operators are told about SSH certificates. The rules of keys and certificates are in domain/ssh. Pure.

import { invalid } from '../../domain/errors.ts';

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
