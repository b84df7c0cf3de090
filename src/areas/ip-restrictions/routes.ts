// The REST routes of the area.

import { route } from '../../surfaces/rest/route.ts';
import {
  CreateIpRestrictionDocument,
  DeleteIpRestrictionDocument,
  GetIpRestrictionDocument,
  ListIpRestrictionsDocument,
  UpdateIpRestrictionDocument,
} from './operations.generated.ts';

export const routes = [
  route('POST /ip_restrictions', CreateIpRestrictionDocument),
  route('GET /ip_restrictions', ListIpRestrictionsDocument),
  route('GET /ip_restrictions/{id}', GetIpRestrictionDocument),
  route('PATCH /ip_restrictions/{id}', UpdateIpRestrictionDocument),
  route('DELETE /ip_restrictions/{id}', DeleteIpRestrictionDocument),
];
