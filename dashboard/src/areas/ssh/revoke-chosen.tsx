// Revokes the chosen certificates.

import type { Chosen } from '../../kit/selection.tsx';
import { count } from '../../kit/words.ts';
import { EndChosen } from '../../trail/end-chosen.tsx';
import { RevokeSshCertificatesDocument } from './certificates.generated.ts';

/** The button that revokes the chosen certificates, with its question. */
export default function RevokeChosen(rows: Chosen<{ readonly id: string }>) {
  return (
    <EndChosen
      {...rows}
      label="Revoke"
      document={RevokeSshCertificatesDocument}
      kinds={['SshHostCertificate', 'SshCertificateAuthority']}
      variables={(certificates) => ({ input: { objects: certificates.map(({ id }) => ({ id })) } })}
      question={(certificates) => ({
        title: `Revoke ${count(certificates.length, 'certificate')}?`,
        action: 'Revoke them',
        text: (
          <>
            Clients that have the revocation list refuse these hosts from then on:{' '}
            <strong>this cannot be undone.</strong>
          </>
        ),
      })}
      said={(certificates) => `${count(certificates.length, 'certificate')} revoked.`}
    />
  );
}
