// The REST routes of the area.

import { route } from '../../surfaces/rest/route.ts';
import {
  CreateExpectationDocument,
  DeleteExpectationDocument,
  GetExpectationDocument,
  ListExpectationsDocument,
  UpdateExpectationDocument,
} from './operations.generated.ts';

export const routes = [
  route('POST /expectations', CreateExpectationDocument),
  route('GET /expectations', ListExpectationsDocument),
  route('GET /expectations/{id}', GetExpectationDocument),
  route('PATCH /expectations/{id}', UpdateExpectationDocument),
  route('DELETE /expectations/{id}', DeleteExpectationDocument),
];
