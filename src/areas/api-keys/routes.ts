// The REST routes of the area.

import { route } from '../../surfaces/rest/route.ts';
import * as documents from './operations.generated.ts';

export const routes = [
  route('POST /api_keys', documents.CreateApiKeyDocument),
  route('GET /api_keys', documents.ListApiKeysDocument),
  route('GET /api_keys/{id}', documents.GetApiKeyDocument),
  route('PATCH /api_keys/{id}', documents.UpdateApiKeyDocument),
  route('DELETE /api_keys/{id}', documents.DeleteApiKeyDocument),
];
