// The REST routes of the area.

import { route } from '../../surfaces/rest/route.ts';
import {
  CreateApiKeyDocument,
  DeleteApiKeyDocument,
  GetApiKeyDocument,
  ListApiKeysDocument,
  UpdateApiKeyDocument,
} from './operations.generated.ts';

export const routes = [
  route('POST /api_keys', CreateApiKeyDocument),
  route('GET /api_keys', ListApiKeysDocument),
  route('GET /api_keys/{id}', GetApiKeyDocument),
  route('PATCH /api_keys/{id}', UpdateApiKeyDocument),
  route('DELETE /api_keys/{id}', DeleteApiKeyDocument),
];
