// The REST routes of the area.

import { route } from '../../surfaces/rest/route.ts';
import {
  FollowChangesDocument,
  GetAuditCheckpointDocument,
  GetAuditEventDocument,
  ListAuditCheckpointsDocument,
  ListAuditEventsDocument,
} from './operations.generated.ts';

export const routes = [
  route('GET /audit_events', ListAuditEventsDocument),
  route('GET /audit_events/{id}', GetAuditEventDocument),
  route('GET /audit_checkpoints', ListAuditCheckpointsDocument),
  route('GET /audit_checkpoints/{id}', GetAuditCheckpointDocument),
];

/** Their documents are subscriptions. */
export const streams = [route('GET /events', FollowChangesDocument)];
