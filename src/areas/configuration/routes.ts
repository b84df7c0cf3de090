// The REST routes of the area.

import { route } from '../../surfaces/rest/route.ts';
import * as documents from './operations.generated.ts';

export const routes = [
  route('GET /configuration', documents.ExportConfigurationDocument),
  route('PUT /configuration/plan', documents.PlanConfigurationDocument),
  route('PUT /configuration/apply', documents.ApplyConfigurationDocument),
  route('PUT /configuration/import', documents.ImportConfigurationDocument),
  route('GET /requests/{id}/undo', documents.PlanUndoDocument),
  route('PUT /requests/{id}/undo', documents.UndoRequestDocument),
];
