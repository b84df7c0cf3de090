// Restores certificate authorities, enrollment tokens and host certificates to an earlier state.

import { notesState, type Restorers, restorer } from '../../storage/objects/restoring.ts';
import { sshCertificateAuthorities, sshEnrollmentTokens, sshHostCertificates } from './collections-store.ts';

export const restorers: Restorers = {
  SshCertificateAuthority: restorer(notesState, {
    update: ({ scope }, { id, state }, expectedVersion) =>
      sshCertificateAuthorities.updateNotes(scope, { ...state, id, expectedVersion }),
    recreate:
      'A deleted certificate authority cannot come back: its private key went with it, and the trail never has it. Create ' +
      'another authority.',
  }),
  SshEnrollmentToken: restorer(notesState, {
    update: ({ scope }, { id, state }, expectedVersion) =>
      sshEnrollmentTokens.updateNotes(scope, { ...state, id, expectedVersion }),
    recreate:
      'A deleted enrollment token cannot come back: what it is recognized by went with it. Create another token.',
  }),
  SshHostCertificate: restorer(notesState, {
    update: ({ scope }, { id, state }, expectedVersion) =>
      sshHostCertificates.updateNotes(scope, { ...state, id, expectedVersion }),
    recreate:
      'A deleted host certificate cannot come back: it is revoked for good. Create another one for the same public key.',
  }),
};
