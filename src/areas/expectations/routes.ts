// The REST routes of the area.

import { route } from '../../surfaces/rest/route.ts';
import * as documents from './operations.generated.ts';

export const routes = [
  route('POST /expectations', documents.CreateExpectationDocument),
  route('GET /expectations', documents.ListExpectationsDocument),
  route('GET /expectations/{id}', documents.GetExpectationDocument),
  route('PATCH /expectations/{id}', documents.UpdateExpectationDocument),
  route('DELETE /expectations/{id}', documents.DeleteExpectationDocument),
];
