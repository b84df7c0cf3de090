// The REST routes of the area.

import { route } from '../../rest/route.ts';
import { FollowChangesDocument, GetAuditEventDocument, ListAuditEventsDocument } from './operations.generated.ts';

export const auditEventRoutes = [
  route('GET /audit_events', ListAuditEventsDocument),
  route('GET /audit_events/{id}', GetAuditEventDocument),
];

export const auditEventStreams = [route('GET /events', FollowChangesDocument)];
