// Takes back everything that one request has changed, after showing what that does.

import { useAction, useData } from '../client/data.ts';
import { titleOf } from '../client/kinds.ts';
import { lockoutDeed } from '../impact/words.ts';
import { Call } from '../kit/call.tsx';
import { Confirm } from '../kit/dialog.tsx';
import { Loaded, Notice } from '../kit/notice.tsx';
import { say } from '../kit/toast.tsx';
import { sayNumber } from '../kit/words.ts';
import { PlanUndoDocument, UndoRequestDocument } from './undo-request.generated.ts';

/** Most objects that are named one by one. */
const namedMax = 50;

const deeds: Readonly<Record<string, string>> = {
  create: 'comes back',
  update: 'becomes what it was',
  delete: 'is deleted',
  release: 'belongs to no document again',
};

/** Reads fields as text that the API gives as JSON. */
function fieldsOf(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]));
}

const listOf = (value: unknown): readonly Readonly<Record<string, string>>[] =>
  Array.isArray(value) ? value.map(fieldsOf) : [];

/** Asks for confirmation before a request is undone: all of it, or nothing. */
export default function UndoRequest({ requestId, close }: { requestId: string; close: () => void }) {
  const { run, running, problem } = useAction(UndoRequestDocument, ['*']);
  const reading = useData(PlanUndoDocument, { requestId }, []);
  const refusals = listOf(reading.data?.planUndo?.refusals);
  const codes = [...refusals.map(({ code }) => code), problem?.code];
  const isLockout = codes.includes('LOCKOUT');
  const isForced = isLockout || codes.includes('EXPECTATION_FAILED');
  const input = { requestId, ...(isForced && { force: true }) };
  return (
    <Confirm
      key={isForced ? 'forced' : 'usual'}
      title="Undo the whole request?"
      action={isForced ? 'Undo it all the same' : 'Undo the request'}
      {...(isLockout && { typed: lockoutDeed })}
      isReady={reading.data?.planUndo != null && !reading.error}
      running={running}
      problem={problem}
      close={close}
      call={
        <Call
          // Over REST, a header forces it, which is not shown.
          {...(!isForced && { rest: { method: 'PUT', path: `/requests/${requestId}/undo` } as const })}
          document={UndoRequestDocument}
          variables={{ input }}
        />
      }
      confirm={async () => {
        if (!(await run({ input }))) return;
        close();
        say('Undone. The trail has it as a request of its own, which can be undone as well.');
      }}
    >
      <Loaded reading={reading}>
        {({ planUndo }) => {
          const objects = listOf(planUndo?.objects);
          return (
            <div className="stack">
              <p>Everything that it changed is taken back, or nothing:</p>
              <ul>
                {objects.slice(0, namedMax).map(({ action, kind = '', id, name }) => (
                  <li key={id}>
                    {titleOf(kind)} {name} {deeds[action ?? '']}
                  </li>
                ))}
                {objects.length > namedMax && <li>and {sayNumber(objects.length - namedMax)} more</li>}
              </ul>
              {refusals.map(({ message }) => (
                <Notice key={message} tone="bad">
                  {message}
                </Notice>
              ))}
            </div>
          );
        }}
      </Loaded>
    </Confirm>
  );
}
