// The keys of our side towards an identity provider: until when each counts, and the one step that comes next in replacing them.

import { useState } from 'react';
import { useAction } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import type { SamlKeyStep } from '../../client/types.generated.ts';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { CopyField } from '../../kit/copy.tsx';
import { Confirm } from '../../kit/dialog.tsx';
import { Notice } from '../../kit/notice.tsx';
import { Detail, Details, Panel } from '../../kit/page.tsx';
import { Time } from '../../kit/time.tsx';
import { say } from '../../kit/toast.tsx';
import { RotateSamlKeyDocument, type SamlPartsFragment } from './route.generated.ts';

type Keys = NonNullable<SamlPartsFragment['keys']>;

/** What each step is called, when it is safe, what it does, and what is said once it is made. */
const steps: Readonly<
  Record<SamlKeyStep, { readonly title: string; readonly safe: string; readonly what: string; readonly said: string }>
> = {
  announce: {
    title: 'Announce new keys',
    safe: 'Safe at any time. Two more steps follow, and logins work at each.',
    what: 'Makes new keys and adds their certificates to the metadata. The present key goes on signing, and both decrypt.',
    said: 'New keys announced.',
  },
  take_over: {
    title: 'Sign with the new key',
    safe: 'Safe once the identity provider has read the metadata again, or somebody has entered the next certificate there.',
    what: 'Requests are signed with the new key. An identity provider that does not know it yet refuses them.',
    said: 'The new key signs.',
  },
  drop_former: {
    title: 'Remove the former keys',
    safe: 'Safe once the identity provider encrypts for the new key: at once if it encrypts nothing.',
    what: 'Takes the former certificate out of the metadata. What is still encrypted for the former key cannot be read any more. This cannot be undone.',
    said: 'The former keys are gone.',
  },
};

/** The panel of the keys. */
export function SamlKeys({
  edgeId,
  routeId,
  keys,
}: {
  readonly edgeId: string;
  readonly routeId: string;
  readonly keys: Keys;
}) {
  const canWrite = useCan('https-edges:write');
  const [isAsked, setAsked] = useState(false);
  const { run, running, problem, clear } = useAction(RotateSamlKeyDocument, ['HttpsEdgeRoute', 'HttpsEdge']);
  const { nextStep: step, version } = keys;
  const { title, safe, what, said } = steps[step];
  const input = { edgeId, id: routeId, expectedVersion: version, step };
  const close = () => {
    clear();
    setAsked(false);
  };
  return (
    <Panel
      title="Our keys"
      description="One signs requests, one decrypts. They are replaced in three steps, without a login that fails."
      actions={canWrite && <Button onPress={() => setAsked(true)}>{title}</Button>}
    >
      <div className="stack">
        <Details>
          <Detail name="Signs until">
            <Time value={keys.signingExpiresAt} />
          </Detail>
          {keys.nextExpiresAt !== null && (
            <Detail name="Next key, until">
              <Time value={keys.nextExpiresAt} />
            </Detail>
          )}
          {keys.formerExpiresAt !== null && (
            <Detail name="Former key, until">
              <Time value={keys.formerExpiresAt} />
            </Detail>
          )}
          <Detail name="Encrypts until">
            <Time value={keys.encryptionExpiresAt} otherwise="no key yet" />
          </Detail>
          <Detail name="Last step">
            <Time value={keys.changedAt} />
          </Detail>
        </Details>
        {keys.nextCertificatePem !== null && (
          <CopyField label="Certificate that will sign" text={keys.nextCertificatePem.trim()} />
        )}
        <Notice tone={step === 'announce' ? 'neutral' : 'caution'} title={`Next: ${title}`}>
          {safe}
        </Notice>
      </div>
      {isAsked && (
        <Confirm
          title={`${title}?`}
          action={title}
          running={running}
          problem={problem}
          call={
            <Call
              rest={{
                method: 'PUT',
                path: `/edges/https/${edgeId}/routes/${routeId}/saml/keys`,
                body: { step },
                ifMatch: version,
              }}
              document={RotateSamlKeyDocument}
              variables={{ input }}
            />
          }
          confirm={async () => {
            if (!(await run({ input }))) return;
            say(said);
            close();
          }}
          close={close}
        >
          <p>{what}</p>
          <p>{safe}</p>
        </Confirm>
      )}
    </Panel>
  );
}
