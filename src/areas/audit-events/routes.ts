// The REST routes of the area.

import { route } from '../../surfaces/rest/route.ts';
import * as documents from './operations.generated.ts';

export const routes = [
  route('GET /audit_events', documents.ListAuditEventsDocument),
  route('GET /audit_events/{id}', documents.GetAuditEventDocument),
  route('GET /audit_checkpoints', documents.ListAuditCheckpointsDocument),
  route('GET /audit_checkpoints/{id}', documents.GetAuditCheckpointDocument),
];

/** Their documents are subscriptions. */
export const streams = [route('GET /events', documents.FollowChangesDocument)];
