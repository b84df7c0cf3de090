// Restores certificate authorities, enrollment tokens and host certificates to an earlier state.

import { notesRestorer, type Restorers } from '../../storage/objects/restoring.ts';
import { sshCertificateAuthorities, sshEnrollmentTokens, sshHostCertificates } from './collections-store.ts';

export const restorers: Restorers = {
  SshCertificateAuthority: notesRestorer(
    sshCertificateAuthorities,
    'A deleted certificate authority cannot come back: its private key went with it, and the trail never has it. Create ' +
      'another authority.',
  ),
  SshEnrollmentToken: notesRestorer(
    sshEnrollmentTokens,
    'A deleted enrollment token cannot come back: what it is recognized by went with it. Create another token.',
  ),
  SshHostCertificate: notesRestorer(
    sshHostCertificates,
    'A deleted host certificate cannot come back: it is revoked for good. Create another one for the same public key.',
  ),
};
