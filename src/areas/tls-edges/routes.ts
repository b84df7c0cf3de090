// The REST routes of the area.

import { route } from '../../surfaces/rest/route.ts';
import * as documents from './operations.generated.ts';

export const routes = [
  route('POST /edges/tls', documents.CreateTlsEdgeDocument),
  route('GET /edges/tls', documents.ListTlsEdgesDocument),
  route('GET /edges/tls/{id}', documents.GetTlsEdgeDocument),
  route('PATCH /edges/tls/{id}', documents.UpdateTlsEdgeDocument),
  route('DELETE /edges/tls/{id}', documents.DeleteTlsEdgeDocument),

  route('PUT /edges/tls/{id}/backend', documents.ReplaceTlsEdgeBackendDocument),
  route('GET /edges/tls/{id}/backend', documents.GetTlsEdgeBackendDocument),
  route('DELETE /edges/tls/{id}/backend', documents.DeleteTlsEdgeBackendDocument),

  route('PUT /edges/tls/{id}/policy', documents.ReplaceTlsEdgePolicyDocument),
  route('GET /edges/tls/{id}/policy', documents.GetTlsEdgePolicyDocument),
  route('DELETE /edges/tls/{id}/policy', documents.DeleteTlsEdgePolicyDocument),

  route('PUT /edges/tls/{id}/ip_restriction', documents.ReplaceTlsEdgeIpRestrictionDocument),
  route('GET /edges/tls/{id}/ip_restriction', documents.GetTlsEdgeIpRestrictionDocument),
  route('DELETE /edges/tls/{id}/ip_restriction', documents.DeleteTlsEdgeIpRestrictionDocument),
];
