// What events of the trail record.

const changeActions = ['create', 'update', 'delete'] as const;
export type ChangeAction = (typeof changeActions)[number];
/** What an event records: a change, or a refused request. */
export const auditActions = [...changeActions, 'refuse'] as const;
export type AuditAction = (typeof auditActions)[number];
