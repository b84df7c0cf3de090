// The REST routes of the area.

import { route } from '../../surfaces/rest/route.ts';
import * as documents from './operations.generated.ts';

export const routes = [
  route('POST /ssh_certificate_authorities', documents.CreateSshCertificateAuthorityDocument, {
    spellings: { elliptic_curve: { 'P-256': 'p256', 'P-384': 'p384', 'P-521': 'p521' } },
  }),
  route('GET /ssh_certificate_authorities', documents.ListSshCertificateAuthoritiesDocument),
  route('GET /ssh_certificate_authorities/{id}', documents.GetSshCertificateAuthorityDocument),
  route('PATCH /ssh_certificate_authorities/{id}', documents.UpdateSshCertificateAuthorityDocument),
  route('DELETE /ssh_certificate_authorities/{id}', documents.DeleteSshCertificateAuthorityDocument),

  route('POST /ssh_challenges', documents.CreateSshChallengeDocument, {
    withoutKey: ['ssh_host_certificate_id', 'token'],
  }),

  route('POST /ssh_host_certificates', documents.CreateSshHostCertificateDocument),
  route('GET /ssh_host_certificates', documents.ListSshHostCertificatesDocument),
  route('GET /ssh_host_certificates/{id}', documents.GetSshHostCertificateDocument),
  route('PATCH /ssh_host_certificates/{id}', documents.UpdateSshHostCertificateDocument),
  route('DELETE /ssh_host_certificates/{id}', documents.DeleteSshHostCertificateDocument),
  route('POST /ssh_enrollment_tokens', documents.CreateSshEnrollmentTokenDocument),
  route('GET /ssh_enrollment_tokens', documents.ListSshEnrollmentTokensDocument),
  route('GET /ssh_enrollment_tokens/{id}', documents.GetSshEnrollmentTokenDocument),
  route('PATCH /ssh_enrollment_tokens/{id}', documents.UpdateSshEnrollmentTokenDocument),
  route('DELETE /ssh_enrollment_tokens/{id}', documents.DeleteSshEnrollmentTokenDocument),
  route('POST /ssh_enrollments', documents.EnrollSshHostDocument, { withoutKey: ['token'] }),
  route('POST /ssh_host_certificates/{id}/renew', documents.RenewSshHostCertificateDocument, { withoutKey: ['id'] }),

  route('GET /ssh_revocations', documents.ListSshRevocationsDocument),
];
