// The REST routes of the area.

import { route } from '../../surfaces/rest/route.ts';
import {
  BlockPersonDocument,
  CreateRoleDocument,
  CreateSignInProviderDocument,
  DeleteRoleDocument,
  DeleteSignInProviderDocument,
  GetPersonDocument,
  GetRoleDocument,
  GetSignInProviderDocument,
  ListPeopleDocument,
  ListRolesDocument,
  ListSignInProvidersDocument,
  UnblockPersonDocument,
  UpdateRoleDocument,
  UpdateSignInProviderDocument,
} from './operations.generated.ts';

export const routes = [
  route('POST /roles', CreateRoleDocument),
  route('GET /roles', ListRolesDocument),
  route('GET /roles/{id}', GetRoleDocument),
  route('PATCH /roles/{id}', UpdateRoleDocument),
  route('DELETE /roles/{id}', DeleteRoleDocument),

  route('POST /sign_in_providers', CreateSignInProviderDocument),
  route('GET /sign_in_providers', ListSignInProvidersDocument),
  route('GET /sign_in_providers/{id}', GetSignInProviderDocument),
  route('PATCH /sign_in_providers/{id}', UpdateSignInProviderDocument),
  route('DELETE /sign_in_providers/{id}', DeleteSignInProviderDocument),

  route('GET /people', ListPeopleDocument),
  route('GET /people/{id}', GetPersonDocument),
  route('PUT /people/{id}/block', BlockPersonDocument),
  route('DELETE /people/{id}/block', UnblockPersonDocument),
];
