// What an audit event did, field by field, and who did it.

import type { AuditActorType } from '../client/types.generated.ts';
import styles from './changes.module.css';
import type { EventLineFragment } from './events.generated.ts';

/** Formats a value of an object. */
function show(value: unknown): string {
  if (value === null || value === undefined || value === '') return '(not set)';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * A table of changed fields, with their values before and after.
 *
 * @param of `event` for what an event did; `now` for how a state to restore differs from the current one
 */
export function Changes({ changes, of = 'event' }: { changes: EventLineFragment['changes']; of?: 'event' | 'now' }) {
  if (changes === null) return <p className="muted">The trail does not know what was before.</p>;
  if (changes.length === 0) {
    return <p className="muted">{of === 'now' ? 'Nothing differs.' : 'None of its own fields: its parts changed.'}</p>;
  }
  return (
    <table className={styles.changes}>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">{of === 'now' ? 'Now' : 'Before'}</th>
          <th scope="col">{of === 'now' ? 'Then' : 'After'}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ field, before, after, shortened }) => (
          <tr key={field}>
            <th scope="row">{field}</th>
            <td>
              <del>{show(before)}</del>
            </td>
            <td>
              <ins>{show(after)}</ins>
              {shortened && <span className="muted"> (shortened)</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const actors: Readonly<Record<AuditActorType, string>> = {
  api_key: 'API key',
  cli: 'the command line',
  person: 'a person',
  identity_provider: 'an identity provider',
  ssh_enrollment_token: 'an enrollment token',
  ssh_host_certificate: 'a host',
  system: 'the server itself',
  user: 'a user',
};

/** Returns the name of the actor who made a change. */
export function sayActor({ type, id, description }: EventLineFragment['actor']): string {
  return description || (id === null ? actors[type] : `${actors[type]} ${id}`);
}

const deeds = { create: 'created', update: 'changed', delete: 'deleted', refuse: 'refused' } as const;

/** Returns a verb for what an event did. */
export const sayAction = ({ action, kind }: Pick<EventLineFragment, 'action' | 'kind'>): string =>
  action === 'delete' && kind.endsWith('Session') ? 'ended' : deeds[action];
