// The REST routes of the area.

import { route } from '../../surfaces/rest/route.ts';
import { FollowChangesDocument, GetAuditEventDocument, ListAuditEventsDocument } from './operations.generated.ts';

export const routes = [
  route('GET /audit_events', ListAuditEventsDocument),
  route('GET /audit_events/{id}', GetAuditEventDocument),
];

/** Their documents are subscriptions. */
export const streams = [route('GET /events', FollowChangesDocument)];
