// The REST routes of the area.

import { route } from '../../surfaces/rest/route.ts';
import * as documents from './operations.generated.ts';

export const routes = [
  route('POST /ip_restrictions', documents.CreateIpRestrictionDocument),
  route('GET /ip_restrictions', documents.ListIpRestrictionsDocument),
  route('GET /ip_restrictions/{id}', documents.GetIpRestrictionDocument),
  route('PATCH /ip_restrictions/{id}', documents.UpdateIpRestrictionDocument),
  route('DELETE /ip_restrictions/{id}', documents.DeleteIpRestrictionDocument),
];
