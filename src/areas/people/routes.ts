// The REST routes of the area.

import { route } from '../../surfaces/rest/route.ts';
import * as documents from './operations.generated.ts';

export const routes = [
  route('POST /roles', documents.CreateRoleDocument),
  route('GET /roles', documents.ListRolesDocument),
  route('GET /roles/{id}', documents.GetRoleDocument),
  route('PATCH /roles/{id}', documents.UpdateRoleDocument),
  route('DELETE /roles/{id}', documents.DeleteRoleDocument),

  route('POST /sign_in_providers', documents.CreateSignInProviderDocument),
  route('GET /sign_in_providers', documents.ListSignInProvidersDocument),
  route('GET /sign_in_providers/{id}', documents.GetSignInProviderDocument),
  route('PATCH /sign_in_providers/{id}', documents.UpdateSignInProviderDocument),
  route('DELETE /sign_in_providers/{id}', documents.DeleteSignInProviderDocument),

  route('GET /people', documents.ListPeopleDocument),
  route('GET /people/{id}', documents.GetPersonDocument),
  route('PUT /people/{id}/block', documents.BlockPersonDocument),
  route('DELETE /people/{id}/block', documents.UnblockPersonDocument),
];
