// The REST routes of the area.

import { route } from '../../rest/route.ts';
import {
  CreateSshCertificateAuthorityDocument,
  CreateSshHostCertificateDocument,
  DeleteSshCertificateAuthorityDocument,
  DeleteSshHostCertificateDocument,
  GetSshCertificateAuthorityDocument,
  GetSshHostCertificateDocument,
  ListSshCertificateAuthoritiesDocument,
  ListSshHostCertificatesDocument,
  ListSshRevocationsDocument,
  UpdateSshCertificateAuthorityDocument,
  UpdateSshHostCertificateDocument,
} from './operations.generated.ts';

export const sshRoutes = [
  route('POST /ssh_certificate_authorities', CreateSshCertificateAuthorityDocument),
  route('GET /ssh_certificate_authorities', ListSshCertificateAuthoritiesDocument),
  route('GET /ssh_certificate_authorities/{id}', GetSshCertificateAuthorityDocument),
  route('PATCH /ssh_certificate_authorities/{id}', UpdateSshCertificateAuthorityDocument),
  route('DELETE /ssh_certificate_authorities/{id}', DeleteSshCertificateAuthorityDocument),

  route('POST /ssh_host_certificates', CreateSshHostCertificateDocument),
  route('GET /ssh_host_certificates', ListSshHostCertificatesDocument),
  route('GET /ssh_host_certificates/{id}', GetSshHostCertificateDocument),
  route('PATCH /ssh_host_certificates/{id}', UpdateSshHostCertificateDocument),
  route('DELETE /ssh_host_certificates/{id}', DeleteSshHostCertificateDocument),

  route('GET /ssh_revocations', ListSshRevocationsDocument),
];
