// The REST routes of the area.

import { route } from '../../surfaces/rest/route.ts';
import * as documents from './operations.generated.ts';

export const routes = [
  route('POST /edges/https', documents.CreateHttpsEdgeDocument),
  route('GET /edges/https', documents.ListHttpsEdgesDocument),
  route('GET /edges/https/{id}', documents.GetHttpsEdgeDocument),
  route('PATCH /edges/https/{id}', documents.UpdateHttpsEdgeDocument),
  route('DELETE /edges/https/{id}', documents.DeleteHttpsEdgeDocument),

  route('POST /edges/https/{edge_id}/routes', documents.CreateHttpsEdgeRouteDocument),
  route('GET /edges/https/{edge_id}/routes', documents.ListHttpsEdgeRoutesDocument),
  route('GET /edges/https/{edge_id}/routes/{id}', documents.GetHttpsEdgeRouteDocument),
  route('PATCH /edges/https/{edge_id}/routes/{id}', documents.UpdateHttpsEdgeRouteDocument),
  route('DELETE /edges/https/{edge_id}/routes/{id}', documents.DeleteHttpsEdgeRouteDocument),

  route('PUT /edges/https/{edge_id}/routes/{id}/saml', documents.ReplaceSamlModuleDocument),
  route('GET /edges/https/{edge_id}/routes/{id}/saml', documents.GetSamlModuleDocument),
  route('DELETE /edges/https/{edge_id}/routes/{id}/saml', documents.DeleteSamlModuleDocument),
  route('GET /edges/https/{edge_id}/routes/{id}/saml/keys', documents.GetSamlKeysDocument),
  route('PUT /edges/https/{edge_id}/routes/{id}/saml/keys', documents.RotateSamlKeyDocument),

  route('PUT /edges/https/{edge_id}/routes/{id}/oidc', documents.ReplaceOidcModuleDocument),
  route('GET /edges/https/{edge_id}/routes/{id}/oidc', documents.GetOidcModuleDocument),
  route('DELETE /edges/https/{edge_id}/routes/{id}/oidc', documents.DeleteOidcModuleDocument),

  route('PUT /edges/https/{edge_id}/routes/{id}/ip_restriction', documents.ReplaceHttpsEdgeRouteIpRestrictionDocument),
  route('GET /edges/https/{edge_id}/routes/{id}/ip_restriction', documents.GetHttpsEdgeRouteIpRestrictionDocument),
  route(
    'DELETE /edges/https/{edge_id}/routes/{id}/ip_restriction',
    documents.DeleteHttpsEdgeRouteIpRestrictionDocument,
  ),

  route('PUT /edges/https/{edge_id}/routes/{id}/backend', documents.ReplaceHttpsEdgeRouteBackendDocument),
  route('GET /edges/https/{edge_id}/routes/{id}/backend', documents.GetHttpsEdgeRouteBackendDocument),
  route('DELETE /edges/https/{edge_id}/routes/{id}/backend', documents.DeleteHttpsEdgeRouteBackendDocument),
];
