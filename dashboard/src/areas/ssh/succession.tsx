// How an authority is replaced: in three steps, each of which says what it does and when it is safe.

import { type ReactNode, useMemo, useState } from 'react';
import { useData } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import { useCan } from '../../client/rights.ts';
import type { SshCertificateAuthorityState } from '../../client/types.generated.ts';
import { Button } from '../../kit/button.tsx';
import { CopyField } from '../../kit/copy.tsx';
import { CheckIcon } from '../../kit/icons.tsx';
import { Link } from '../../kit/link.tsx';
import { Notice } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { Time } from '../../kit/time.tsx';
import { sayNumber } from '../../kit/words.ts';
import { SshAuthorityUnendedDocument } from './authorities.generated.ts';
import { useAccountFiles, useAuthorities } from './names.ts';
import styles from './ssh.module.css';
import { Announce, HandOver, type Replaced, Retire } from './succession-steps.tsx';
import { sayEnd } from './validity.ts';

/** The number of steps completed in each state. */
const taken: Readonly<Record<SshCertificateAuthorityState, number>> = {
  active: 0,
  successor_announced: 1,
  handed_over: 2,
  retired: 3,
};

function Step({
  number,
  at,
  title,
  what,
  children,
}: {
  number: number;
  at: number;
  title: string;
  what: ReactNode;
  children?: ReactNode;
}) {
  const progress = number <= at ? 'done' : number === at + 1 ? 'next' : 'later';
  return (
    <li className={styles.step} data-progress={progress} {...(progress === 'next' && { 'aria-current': 'step' })}>
      <span className={styles.number} aria-hidden="true">
        {progress === 'done' ? <CheckIcon /> : number}
      </span>
      <div className="stack">
        <div>
          <h3>
            {title}
            {progress === 'done' && <span className="hidden"> (done)</span>}
          </h3>
          <p className="muted">{what}</p>
        </div>
        {progress === 'next' && children}
      </div>
    </li>
  );
}

/** The last step: what keeps an authority from being retired, or the button that retires it. */
function LastStep({ authority, retire }: { authority: Replaced; retire: () => void }) {
  const canWrite = useCan('ssh:write');
  const now = useMemo(() => new Date().toISOString(), []);
  const { data } = useData(SshAuthorityUnendedDocument, { id: authority.id, now }, ['SshHostCertificate']);
  const unended = data?.sshHostCertificates;
  if (!unended) return null;
  const [last] = unended.nodes;
  if (last !== undefined) {
    const href = `/ssh?${new URLSearchParams({ tab: 'certificates', authority: authority.id })}`;
    return (
      <Notice>
        Safe when all that it has signed has ended.{' '}
        <Link href={href}>
          {sayNumber(unended.totalCount)} {unended.totalCount === 1 ? 'certificate is' : 'certificates are'}
        </Link>{' '}
        still valid, and the last one ends <Time value={last.validUntil} say={sayEnd} />. Whoever cannot wait revokes
        them once their hosts have new ones.
      </Notice>
    );
  }
  return (
    <div className="stack">
      <Notice tone="good">Safe now: all that it has signed has ended.</Notice>
      {canWrite && (
        <div>
          <Button look="danger" onPress={retire}>
            Retire
          </Button>
        </div>
      )}
    </div>
  );
}

/** The panel with the steps that replace an authority. */
export function Succession({ authority }: { authority: Replaced }) {
  const canWrite = useCan('ssh:write');
  const [open, setOpen] = useState<'announce' | 'handOver' | 'retire' | null>(null);
  const all = useAuthorities();
  const files = useAccountFiles();
  const successor = all?.find(({ id }) => id === authority.successorId);
  const predecessor = all?.find(({ successorId }) => successorId === authority.id);
  const successorName = successor ? nameOf(successor) : (authority.successorId ?? '');
  const successorLink = <Link href={`/ssh/authorities/${authority.successorId}`}>{successorName}</Link>;
  const at = taken[authority.state];
  const close = () => setOpen(null);
  return (
    <Panel
      title="Replace this authority"
      description="In three steps, so that no client meets a key that it does not trust."
    >
      <div className="stack">
        {predecessor && (
          <Notice>
            {predecessor.state === 'successor_announced' ? (
              <>
                This is the announced successor of{' '}
                <Link href={`/ssh/authorities/${predecessor.id}`}>{nameOf(predecessor)}</Link>: clients learn its line,
                and it signs nothing for that one yet. Deleting it takes the announcement back.
              </>
            ) : (
              <>
                It has taken over from <Link href={`/ssh/authorities/${predecessor.id}`}>{nameOf(predecessor)}</Link>.
              </>
            )}
          </Notice>
        )}
        <ol className={styles.steps}>
          <Step
            number={1}
            at={at}
            title="Announce a successor"
            what={
              at >= 1 ? (
                <>{successorLink} is announced.</>
              ) : (
                'Makes another authority, whose line clients learn. This one goes on signing. Safe at any time.'
              )
            }
          >
            {canWrite && (
              <div>
                <Button onPress={() => setOpen('announce')}>Announce a successor</Button>
              </div>
            )}
          </Step>
          <Step
            number={2}
            at={at}
            title="Hand over"
            what={
              at >= 2 ? (
                <>
                  {successorLink} has signed all that is asked of this one since <Time value={authority.handedOverAt} />
                  . Hosts get its certificates when they renew.
                </>
              ) : (
                'The successor signs all that is asked of this one. Tokens and renewals need no change.'
              )
            }
          >
            <Notice tone="caution" title="Safe once every client has both lines.">
              Clients that fetch the file below have them after five minutes: <code>sallyport-ssh-client status</code>{' '}
              on a client says so. Give the others the line of {successorLink} by hand.
            </Notice>
            {files && <CopyField label="known_hosts file with both lines" text={files.knownHostsUrl} />}
            {canWrite && (
              <div>
                <Button look="primary" onPress={() => setOpen('handOver')}>
                  Hand over
                </Button>
              </div>
            )}
          </Step>
          <Step
            number={3}
            at={at}
            title="Retire"
            what={
              at >= 3 ? (
                <>
                  Its private key was erased <Time value={authority.retiredAt} />. Remove its line from clients that do
                  not fetch the file.
                </>
              ) : (
                'Erases its private key, and takes its line from the known_hosts file.'
              )
            }
          >
            <LastStep authority={authority} retire={() => setOpen('retire')} />
          </Step>
        </ol>
      </div>
      {open === 'announce' && <Announce authority={authority} close={close} />}
      {open === 'handOver' && <HandOver authority={authority} to={successorName} close={close} />}
      {open === 'retire' && <Retire authority={authority} close={close} />}
    </Panel>
  );
}
