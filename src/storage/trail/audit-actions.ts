// What events of the trail record.

import { kinds } from '../../domain/values/ids.ts';

const changeActions = ['create', 'update', 'delete'] as const;
export type ChangeAction = (typeof changeActions)[number];
/** What an event records: a change, or a refused request. */
export const auditActions = [...changeActions, 'refuse'] as const;
export type AuditAction = (typeof auditActions)[number];

/** The kinds that have events: all but the events themselves, and the checkpoints about them. */
export const recordedKinds = Object.keys(kinds).filter((kind) => !kind.startsWith('Audit'));

/** Kinds that had events under an earlier version. */
const formerKinds = ['SamlSession'];

/** All that an event may have as its kind and action: requests are only refused, and nothing else is. */
export const recordedPairs = [...recordedKinds, ...formerKinds].flatMap((kind) =>
  kind === 'Request' ? [{ kind, action: 'refuse' }] : changeActions.map((action) => ({ kind, action })),
);
