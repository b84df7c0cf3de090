// The REST routes of the area.

import { route } from '../../surfaces/rest/route.ts';
import {
  CreateTlsEdgeDocument,
  DeleteTlsEdgeBackendDocument,
  DeleteTlsEdgeDocument,
  DeleteTlsEdgeIpRestrictionDocument,
  DeleteTlsEdgePolicyDocument,
  GetTlsEdgeBackendDocument,
  GetTlsEdgeDocument,
  GetTlsEdgeIpRestrictionDocument,
  GetTlsEdgePolicyDocument,
  ListTlsEdgesDocument,
  ReplaceTlsEdgeBackendDocument,
  ReplaceTlsEdgeIpRestrictionDocument,
  ReplaceTlsEdgePolicyDocument,
  UpdateTlsEdgeDocument,
} from './operations.generated.ts';

export const routes = [
  route('POST /edges/tls', CreateTlsEdgeDocument),
  route('GET /edges/tls', ListTlsEdgesDocument),
  route('GET /edges/tls/{id}', GetTlsEdgeDocument),
  route('PATCH /edges/tls/{id}', UpdateTlsEdgeDocument),
  route('DELETE /edges/tls/{id}', DeleteTlsEdgeDocument),

  route('PUT /edges/tls/{id}/backend', ReplaceTlsEdgeBackendDocument),
  route('GET /edges/tls/{id}/backend', GetTlsEdgeBackendDocument),
  route('DELETE /edges/tls/{id}/backend', DeleteTlsEdgeBackendDocument),

  route('PUT /edges/tls/{id}/policy', ReplaceTlsEdgePolicyDocument),
  route('GET /edges/tls/{id}/policy', GetTlsEdgePolicyDocument),
  route('DELETE /edges/tls/{id}/policy', DeleteTlsEdgePolicyDocument),

  route('PUT /edges/tls/{id}/ip_restriction', ReplaceTlsEdgeIpRestrictionDocument),
  route('GET /edges/tls/{id}/ip_restriction', GetTlsEdgeIpRestrictionDocument),
  route('DELETE /edges/tls/{id}/ip_restriction', DeleteTlsEdgeIpRestrictionDocument),
];
