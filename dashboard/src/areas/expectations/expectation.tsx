// One expectation.

import { useData } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import { decidingKinds, questionOf, stateOf } from '../../expectations/words.ts';
import { sentLines, TextField } from '../../kit/fields.tsx';
import { errorOf } from '../../kit/form.tsx';
import { DescriptionField, MetadataField } from '../../kit/notes.tsx';
import { Loaded, Notice } from '../../kit/notice.tsx';
import { Page, Panel } from '../../kit/page.tsx';
import { DeletionPanel } from '../../trail/deletion.tsx';
import { History } from '../../trail/history.tsx';
import { LastChange } from '../../trail/last-change.tsx';
import { ObjectForm } from '../../trail/object-form.tsx';
import {
  DeleteExpectationDocument,
  ExpectationDocument,
  type ExpectationQuery,
  UpdateExpectationDocument,
} from './expectations.generated.ts';
import { emptyQuestion, type QuestionDraft, QuestionFields } from './question-fields.tsx';

type Expectation = NonNullable<ExpectationQuery['expectation']>;

/** Returns what a form holds of a stored question. */
function draftOf(one: Expectation): QuestionDraft {
  const { expected, address, url, method, signedIn, groups, serverName, hostName } = one;
  const { logged = null, sshCertificateAuthorityId = null } = one;
  return {
    ...emptyQuestion,
    ...{ expected, address, url, method, signedIn, groups, serverName, hostName, logged, sshCertificateAuthorityId },
    ...(isType(one.trafficType) && { trafficType: one.trafficType }),
    httpsEdgeId: one.httpsEdgeId ?? '',
    tlsEdgeId: one.tlsEdgeId ?? '',
  };
}

const types = ['api', 'dashboard', 'agent', 'endpoints'] as const;
const isType = (text: string): text is (typeof types)[number] => types.some((type) => type === text);

function Settings({ expectation }: { expectation: Expectation }) {
  const canWrite = useCan('expectations:write');
  const { name, kind, description, metadata } = expectation;
  return (
    <Panel title="Settings">
      <ObjectForm
        of={expectation}
        values={{ name, ...draftOf(expectation), description, metadata }}
        titles={{
          name: 'Name',
          expected: 'Must be',
          address: 'Address',
          trafficType: 'Traffic',
          httpsEdgeId: 'HTTPS edge',
          url: 'URL',
          method: 'Method',
          signedIn: 'The user has logged in',
          groups: 'Groups',
          tlsEdgeId: 'TLS edge',
          serverName: 'Server name',
          logged: 'In the log',
          hostName: 'Host',
          sshCertificateAuthorityId: 'Certificate authority',
          description: 'Description',
          metadata: 'Metadata',
        }}
        kinds={['Expectation']}
        document={UpdateExpectationDocument}
        changeOf={({ groups, ...others }) => ({ ...others, ...(groups && { groups: sentLines(groups) }) })}
        writtenOf={(answer) => answer.updateExpectation?.expectation}
        path={`/expectations/${expectation.id}`}
        said="Expectation saved."
        canWrite={canWrite}
      >
        {({ draft, problem }) => (
          <>
            <TextField
              label="Name"
              value={draft.values.name}
              onChange={(given) => draft.set({ name: given })}
              error={errorOf(problem, 'name')}
              isDisabled={!canWrite}
            />
            <QuestionFields
              kind={kind}
              value={draft.values}
              onChange={(change) => draft.set(change)}
              problem={problem}
              isDisabled={!canWrite}
            />
            <DescriptionField draft={draft} problem={problem} canWrite={canWrite} />
            <MetadataField draft={draft} problem={problem} canWrite={canWrite} />
          </>
        )}
      </ObjectForm>
    </Panel>
  );
}

function State({ expectation }: { expectation: Expectation }) {
  const { state } = expectation;
  const title = state.met ? 'It is met.' : 'It is not met.';
  return (
    <Notice tone={state.met ? 'good' : 'bad'} title={title}>
      <span className="mono">{questionOf(expectation)}</span> is {stateOf(state)}. {state.reason}
    </Notice>
  );
}

function Shown({ expectation }: { expectation: Expectation }) {
  const canWrite = useCan('expectations:write');
  return (
    <Page
      title={expectation.name}
      crumbs={[{ title: 'Expectations', href: '/expectations' }]}
      description={<LastChange of={expectation} />}
    >
      <State expectation={expectation} />
      <Settings expectation={expectation} />
      {canWrite && (
        <DeletionPanel
          noun="expectation"
          of={expectation}
          kind="Expectation"
          document={DeleteExpectationDocument}
          input={(expectedVersion) => ({ id: expectation.id, expectedVersion })}
          path={`/expectations/${expectation.id}`}
          next="/expectations"
        >
          Changes may break it from then on, and nobody is told.
        </DeletionPanel>
      )}
      <History objectId={expectation.id} kind="Expectation" canWrite={canWrite} />
    </Page>
  );
}

export default function ExpectationPage({ id }: { id: string }) {
  const [ip, https] = [useCan('ip-restrictions:read'), useCan('https-edges:read')];
  const [tls, ssh] = [useCan('tls-edges:read'), useCan('ssh:read')];
  const withReason = ip && https && tls && ssh;
  const reading = useData(ExpectationDocument, { id, withReason }, decidingKinds);
  return <Loaded reading={reading}>{({ expectation }) => expectation && <Shown expectation={expectation} />}</Loaded>;
}
