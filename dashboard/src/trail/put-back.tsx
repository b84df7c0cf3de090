// Restores an earlier state of an object, after showing what that changes.

import { useAction, useData } from '../client/data.ts';
import { titleOf } from '../client/kinds.ts';
import { lockoutDeed } from '../impact/words.ts';
import { Call } from '../kit/call.tsx';
import { Confirm } from '../kit/dialog.tsx';
import { Loaded } from '../kit/notice.tsx';
import { say } from '../kit/toast.tsx';
import { Changes } from './changes.tsx';
import { differences } from './differences.ts';
import type { EventLineFragment } from './events.generated.ts';
import { RestoreObjectDocument, RestorePreviewDocument } from './restore.generated.ts';

/** Asks for confirmation before an object is restored to its state after an event, or before its deletion. */
export default function PutBack({ event, close }: { event: EventLineFragment; close: () => void }) {
  const { run, running, problem } = useAction(RestoreObjectDocument, ['*']);
  const reading = useData(RestorePreviewDocument, { eventId: event.id, objectId: event.objectId }, [event.kind]);
  const latest = reading.data?.auditEvents?.nodes[0];
  const isGone = latest?.action === 'delete';
  const isLockout = problem?.code === 'LOCKOUT';
  const isForced = isLockout || problem?.code === 'EXPECTATION_FAILED';
  const title = titleOf(event.kind);
  // The restore is based on the version shown here, so that changes by others meanwhile are not lost.
  const expectedVersion = latest?.version ?? null;
  const input = { eventId: event.id, expectedVersion, ...(isForced && { force: true }) };
  return (
    <Confirm
      key={isForced ? 'forced' : 'usual'}
      title={`Put this ${title} back?`}
      action={isForced ? 'Put back all the same' : 'Put back'}
      {...(isLockout && { typed: lockoutDeed })}
      isReady={reading.data !== undefined}
      running={running}
      problem={problem}
      close={close}
      call={<Call document={RestoreObjectDocument} variables={{ input }} />}
      confirm={async () => {
        if (!(await run({ input }))) return;
        close();
        say('Put back. The trail has it as a change of its own.');
      }}
    >
      <div className="stack">
        <p>
          {isGone
            ? `It is gone, and comes back as it was ${event.action === 'delete' ? 'before it was deleted' : 'after this change'}, under its old identifier and with the parts that ended with it.`
            : 'These fields become again what they were. The trail keeps what they are now.'}
        </p>
        <Loaded reading={reading}>
          {({ auditEvent }) => (
            <Changes changes={differences(isGone ? null : latest?.state, auditEvent?.state)} of="now" />
          )}
        </Loaded>
      </div>
    </Confirm>
  );
}
