// The REST routes of the area.

import { route } from '../../surfaces/rest/route.ts';
import {
  CreateSshCertificateAuthorityDocument,
  CreateSshChallengeDocument,
  CreateSshEnrollmentTokenDocument,
  CreateSshHostCertificateDocument,
  DeleteSshCertificateAuthorityDocument,
  DeleteSshEnrollmentTokenDocument,
  DeleteSshHostCertificateDocument,
  EnrollSshHostDocument,
  GetSshCertificateAuthorityDocument,
  GetSshEnrollmentTokenDocument,
  GetSshHostCertificateDocument,
  ListSshCertificateAuthoritiesDocument,
  ListSshEnrollmentTokensDocument,
  ListSshHostCertificatesDocument,
  ListSshRevocationsDocument,
  RenewSshHostCertificateDocument,
  UpdateSshCertificateAuthorityDocument,
  UpdateSshEnrollmentTokenDocument,
  UpdateSshHostCertificateDocument,
} from './operations.generated.ts';

export const routes = [
  route('POST /ssh_certificate_authorities', CreateSshCertificateAuthorityDocument, {
    spellings: { elliptic_curve: { 'P-256': 'p256', 'P-384': 'p384', 'P-521': 'p521' } },
  }),
  route('GET /ssh_certificate_authorities', ListSshCertificateAuthoritiesDocument),
  route('GET /ssh_certificate_authorities/{id}', GetSshCertificateAuthorityDocument),
  route('PATCH /ssh_certificate_authorities/{id}', UpdateSshCertificateAuthorityDocument),
  route('DELETE /ssh_certificate_authorities/{id}', DeleteSshCertificateAuthorityDocument),

  route('POST /ssh_challenges', CreateSshChallengeDocument, { withoutKey: ['ssh_host_certificate_id', 'token'] }),

  route('POST /ssh_host_certificates', CreateSshHostCertificateDocument),
  route('GET /ssh_host_certificates', ListSshHostCertificatesDocument),
  route('GET /ssh_host_certificates/{id}', GetSshHostCertificateDocument),
  route('PATCH /ssh_host_certificates/{id}', UpdateSshHostCertificateDocument),
  route('DELETE /ssh_host_certificates/{id}', DeleteSshHostCertificateDocument),
  route('POST /ssh_enrollment_tokens', CreateSshEnrollmentTokenDocument),
  route('GET /ssh_enrollment_tokens', ListSshEnrollmentTokensDocument),
  route('GET /ssh_enrollment_tokens/{id}', GetSshEnrollmentTokenDocument),
  route('PATCH /ssh_enrollment_tokens/{id}', UpdateSshEnrollmentTokenDocument),
  route('DELETE /ssh_enrollment_tokens/{id}', DeleteSshEnrollmentTokenDocument),
  route('POST /ssh_enrollments', EnrollSshHostDocument, { withoutKey: ['token'] }),
  route('POST /ssh_host_certificates/{id}/renew', RenewSshHostCertificateDocument, { withoutKey: ['id'] }),

  route('GET /ssh_revocations', ListSshRevocationsDocument),
];
