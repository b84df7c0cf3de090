// The REST routes of the area. Documents are planned and applied in GraphQL and on the command line.

import { route } from '../../surfaces/rest/route.ts';
import { UndoRequestDocument } from './operations.generated.ts';

export const routes = [route('PUT /requests/{id}/undo', UndoRequestDocument)];
