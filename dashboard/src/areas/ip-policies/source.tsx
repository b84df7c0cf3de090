// One source of a policy: its state, and what can be done with it.

import { useState } from 'react';
import { useClient } from 'urql';
import { useAction } from '../../client/data.ts';
import { type Problem, problemOf } from '../../client/problem.ts';
import { useGuarded } from '../../impact/guarded.tsx';
import { Impacts } from '../../impact/impact.tsx';
import { useMayLook } from '../../impact/may-look.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { Fold } from '../../kit/fold.tsx';
import { Answers, Notice, ProblemNotice } from '../../kit/notice.tsx';
import { Time } from '../../kit/time.tsx';
import { count } from '../../kit/words.ts';
import { useDeletion } from '../../trail/deletion.tsx';
import { impactsOf } from './change.ts';
import {
  ConfirmIpPolicySourceDocument,
  DeleteIpPolicySourceDocument,
  IpPolicySourceChangeDocument,
  type IpPolicySourceChangeQuery,
  RefreshIpPolicySourceDocument,
} from './ip-policies.generated.ts';
import { changedKinds, type Source, SourceForm } from './source-form.tsx';

type Evaluation = NonNullable<IpPolicySourceChangeQuery['evaluateIpPolicySource']>;

/** Returns a function that has the server read a source, and returns what that would change, or why it could not be read. */
function useLookAtSource(id: string): () => Promise<Evaluation | Problem | null> {
  const client = useClient();
  const may = useMayLook();
  return async () => {
    const { data, error } = await client
      .query(IpPolicySourceChangeDocument, { id, ...may }, { requestPolicy: 'network-only' })
      .toPromise();
    return error ? problemOf(error) : (data?.evaluateIpPolicySource ?? null);
  };
}

/** The first of the ranges that are added or removed. */
function Ranges({ title, ranges, total }: { title: string; ranges: readonly string[]; total: number }) {
  if (total === 0) return null;
  return (
    <p>
      {title}: <code>{ranges.slice(0, 6).join(', ')}</code>
      {total > 6 && <span className="muted"> and {total - 6} more</span>}
    </p>
  );
}

/** What reading a source again would change, and for whom. */
function Found({ found }: { found: Evaluation }) {
  const { added, removed, addedRanges, removedRanges, needsConfirmation, change } = found;
  if (added === 0 && removed === 0) return <Notice tone="good">Nothing would change: it has the same ranges.</Notice>;
  return (
    <Notice tone="caution" title={`${count(added, 'range')} would come, ${removed} would go.`}>
      <div className="stack">
        {needsConfirmation && <p>It has shrunk so much that it would wait to be confirmed.</p>}
        <Ranges title="Would come" ranges={addedRanges} total={added} />
        <Ranges title="Would go" ranges={removedRanges} total={removed} />
        {change === null ? (
          <p>Too many ranges differ to say whom that keeps out or lets in.</p>
        ) : (
          <Impacts impacts={impactsOf(change)} />
        )}
      </div>
    </Notice>
  );
}

/** The button that puts a list in force that has shrunk, after a question if that keeps somebody out. */
function Confirm({ source: { id, version, address } }: { source: Source }) {
  const { run, running, problem, clear } = useAction(ConfirmIpPolicySourceDocument, changedKinds);
  const lookAt = useLookAtSource(id);
  const input = { id, expectedVersion: version };
  const call = <Call document={ConfirmIpPolicySourceDocument} variables={{ input }} />;
  const guarded = useGuarded<typeof input>({
    look: async () => {
      const found = await lookAt();
      return found && 'change' in found && found.change ? impactsOf(found.change) : null;
    },
    send: async (sent, force) => (await run({ input: force ? { ...sent, force } : sent })) !== null,
    running,
    problem,
    clear,
    words: () => ({ title: `Take the shorter list of ${address}?`, action: 'Take the shorter list', call }),
  });
  return (
    <>
      <Button isPending={guarded.pending !== null} onPress={() => void guarded.attempt(input)}>
        Take the shorter list
      </Button>
      <ProblemNotice problem={guarded.problem} />
      {call}
      {guarded.question}
    </>
  );
}

/** The buttons of a source, and the form that changes it. */
function Controls({ source }: { source: Source }) {
  const { id, address, rangeCount } = source;
  const refresh = useAction(RefreshIpPolicySourceDocument, changedKinds);
  const lookAt = useLookAtSource(id);
  const [found, setFound] = useState<Evaluation | Problem | null>(null);
  const [looking, setLooking] = useState(false);
  const deletion = useDeletion({
    of: source,
    kind: 'IpPolicySource',
    document: DeleteIpPolicySourceDocument,
    input: (expectedVersion) => ({ id, expectedVersion }),
    path: `/ip_policy_sources/${id}`,
    alsoChanged: ['IpPolicy'],
    said: `Source ${address} deleted.`,
    asks: true,
    undoes: true,
    question: { title: `Delete the source ${address}?`, action: 'Delete source' },
    text: (
      <p>
        {rangeCount === 0 ? 'It has no ranges in force.' : `${count(rangeCount, 'range')} of it no longer count.`} If it
        is put back, they count again once it has been read anew.
      </p>
    ),
  });
  const look = async () => {
    setLooking(true);
    setFound(await lookAt());
    setLooking(false);
  };
  const read = async () => {
    setFound(null);
    await refresh.run({ input: { id } });
  };
  return (
    <>
      <div className="row">
        <Button label={`What would change: ${address}`} isPending={looking} onPress={() => void look()}>
          What would change
        </Button>
        <Button label={`Refresh now: ${address}`} isPending={refresh.running} onPress={() => void read()}>
          Refresh now
        </Button>
        <Button
          look="danger"
          label={`Delete the source ${address}`}
          isPending={deletion.running}
          onPress={deletion.start}
        >
          Delete
        </Button>
      </div>
      <Answers>
        {found && ('change' in found ? <Found found={found} /> : <ProblemNotice problem={found} />)}
        <ProblemNotice problem={refresh.problem ?? deletion.problem} />
      </Answers>
      {deletion.overtaken}
      <Fold title={`Change ${address}`}>
        <SourceForm source={source} />
      </Fold>
      <div className="row">
        <Call document={RefreshIpPolicySourceDocument} variables={{ input: { id } }} />
        {deletion.call}
      </div>
      {deletion.dialog}
    </>
  );
}

/** One source: its state, and what can be done with it. */
export function ShownSource({ source, canWrite }: { source: Source; canWrite: boolean }) {
  const { address, description, action, rangeCount, pendingCount, readAt, failure } = source;
  return (
    <li className="stack">
      <div className="row">
        <code>{address}</code>
        {description !== '' && <span>{description}</span>}
        <Badge>{action}</Badge>
        <span>{count(rangeCount, 'range')}</span>
        <span className="muted">
          {readAt === null ? (
            'never read'
          ) : (
            <>
              read <Time value={readAt} />
            </>
          )}
        </span>
      </div>
      {failure !== null && (
        <Notice tone="caution" title="It cannot be read.">
          {failure}
        </Notice>
      )}
      {pendingCount !== null && (
        <Notice tone="caution" title={`It has shrunk to ${count(pendingCount, 'range')}, which wait to be confirmed.`}>
          {canWrite && <Confirm source={source} />}
        </Notice>
      )}
      {canWrite && <Controls source={source} />}
    </li>
  );
}
