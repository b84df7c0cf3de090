// The REST routes of the area.

import { route } from '../../surfaces/rest/route.ts';
import {
  CreateHttpsEdgeDocument,
  CreateHttpsEdgeRouteDocument,
  DeleteHttpsEdgeDocument,
  DeleteHttpsEdgeRouteBackendDocument,
  DeleteHttpsEdgeRouteDocument,
  DeleteHttpsEdgeRouteIpRestrictionDocument,
  DeleteOidcModuleDocument,
  DeleteSamlModuleDocument,
  GetHttpsEdgeDocument,
  GetHttpsEdgeRouteBackendDocument,
  GetHttpsEdgeRouteDocument,
  GetHttpsEdgeRouteIpRestrictionDocument,
  GetOidcModuleDocument,
  GetSamlKeysDocument,
  GetSamlModuleDocument,
  ListHttpsEdgeRoutesDocument,
  ListHttpsEdgesDocument,
  ReplaceHttpsEdgeRouteBackendDocument,
  ReplaceHttpsEdgeRouteIpRestrictionDocument,
  ReplaceOidcModuleDocument,
  ReplaceSamlModuleDocument,
  RotateSamlKeyDocument,
  UpdateHttpsEdgeDocument,
  UpdateHttpsEdgeRouteDocument,
} from './operations.generated.ts';

export const routes = [
  route('POST /edges/https', CreateHttpsEdgeDocument),
  route('GET /edges/https', ListHttpsEdgesDocument),
  route('GET /edges/https/{id}', GetHttpsEdgeDocument),
  route('PATCH /edges/https/{id}', UpdateHttpsEdgeDocument),
  route('DELETE /edges/https/{id}', DeleteHttpsEdgeDocument),

  route('POST /edges/https/{edge_id}/routes', CreateHttpsEdgeRouteDocument),
  route('GET /edges/https/{edge_id}/routes', ListHttpsEdgeRoutesDocument),
  route('GET /edges/https/{edge_id}/routes/{id}', GetHttpsEdgeRouteDocument),
  route('PATCH /edges/https/{edge_id}/routes/{id}', UpdateHttpsEdgeRouteDocument),
  route('DELETE /edges/https/{edge_id}/routes/{id}', DeleteHttpsEdgeRouteDocument),

  route('PUT /edges/https/{edge_id}/routes/{id}/saml', ReplaceSamlModuleDocument),
  route('GET /edges/https/{edge_id}/routes/{id}/saml', GetSamlModuleDocument),
  route('DELETE /edges/https/{edge_id}/routes/{id}/saml', DeleteSamlModuleDocument),
  route('GET /edges/https/{edge_id}/routes/{id}/saml/keys', GetSamlKeysDocument),
  route('PUT /edges/https/{edge_id}/routes/{id}/saml/keys', RotateSamlKeyDocument),

  route('PUT /edges/https/{edge_id}/routes/{id}/oidc', ReplaceOidcModuleDocument),
  route('GET /edges/https/{edge_id}/routes/{id}/oidc', GetOidcModuleDocument),
  route('DELETE /edges/https/{edge_id}/routes/{id}/oidc', DeleteOidcModuleDocument),

  route('PUT /edges/https/{edge_id}/routes/{id}/ip_restriction', ReplaceHttpsEdgeRouteIpRestrictionDocument),
  route('GET /edges/https/{edge_id}/routes/{id}/ip_restriction', GetHttpsEdgeRouteIpRestrictionDocument),
  route('DELETE /edges/https/{edge_id}/routes/{id}/ip_restriction', DeleteHttpsEdgeRouteIpRestrictionDocument),

  route('PUT /edges/https/{edge_id}/routes/{id}/backend', ReplaceHttpsEdgeRouteBackendDocument),
  route('GET /edges/https/{edge_id}/routes/{id}/backend', GetHttpsEdgeRouteBackendDocument),
  route('DELETE /edges/https/{edge_id}/routes/{id}/backend', DeleteHttpsEdgeRouteBackendDocument),
];
