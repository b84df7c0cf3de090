// Changes that wait for a second person, and whether any do.

import { useState } from 'react';
import { useAction, useData } from '../../client/data.ts';
import { usePages } from '../../client/pages.ts';
import { useCan, useViewer } from '../../client/rights.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { Confirm } from '../../kit/dialog.tsx';
import { List } from '../../kit/list.tsx';
import { Loaded, type Tone } from '../../kit/notice.tsx';
import { Page, Panel } from '../../kit/page.tsx';
import { listOrders, useQuestion } from '../../kit/question.ts';
import { Time } from '../../kit/time.tsx';
import { say } from '../../kit/toast.tsx';
import {
  ApprovalSettingsDocument,
  ApprovalsDocument,
  type ApprovalsQuery,
  ApproveRequestDocument,
  RefuseRequestDocument,
  UpdateApprovalSettingsDocument,
  WithdrawRequestDocument,
} from './approvals.generated.ts';

type Request = NonNullable<ApprovalsQuery['approvalRequests']>['nodes'][number];

const decisions = {
  approve: { document: ApproveRequestDocument, title: 'Approve this change?', action: 'Approve', done: 'Approved.' },
  refuse: { document: RefuseRequestDocument, title: 'Refuse this change?', action: 'Refuse', done: 'Refused.' },
  withdraw: {
    document: WithdrawRequestDocument,
    title: 'Withdraw your request?',
    action: 'Withdraw',
    done: 'Withdrawn.',
  },
} as const;
type Decision = keyof typeof decisions;

/** Shows a change, and asks before something is decided about it. */
function Decide({ request, decision, close }: { request: Request; decision: Decision; close: () => void }) {
  const { document, title, action, done } = decisions[decision];
  const { run, running, problem } = useAction<object, { input: { id: string } }>(document, ['ApprovalRequest']);
  const input = { id: request.id };
  return (
    <Confirm
      title={title}
      action={action}
      running={running}
      problem={problem}
      close={close}
      call={<Call document={document} variables={{ input }} />}
      confirm={async () => {
        if (!(await run({ input }))) return;
        say(done);
        close();
      }}
    >
      <div className="stack">
        <p>{request.summary}</p>
        <p>
          {request.requesterName} asks for it
          {decision === 'approve' && ', and can make exactly this change once, within 15 minutes after your approval'}.
        </p>
        <pre className="mono">{indented(request.input)}</pre>
      </div>
    </Confirm>
  );
}

/** Writes the input of a change on several lines. */
function indented(json: string): string {
  const value: unknown = JSON.parse(json);
  return JSON.stringify(value, null, 2);
}

const tones: Readonly<Record<Request['state'], Tone>> = {
  open: 'caution',
  approved: 'good',
  refused: 'bad',
  withdrawn: 'neutral',
  used: 'neutral',
  expired: 'neutral',
};
const words: Readonly<Record<Request['state'], string>> = {
  open: 'waits',
  approved: 'approved',
  refused: 'refused',
  withdrawn: 'withdrawn',
  used: 'made',
  expired: 'ended',
};

/** Switches on and off that changes wait. */
function Settings() {
  const reading = useData(ApprovalSettingsDocument, {}, ['ApprovalSettings']);
  const { run, running, problem, clear } = useAction(UpdateApprovalSettingsDocument, ['ApprovalSettings']);
  const [asks, setAsks] = useState(false);
  const canWrite = useCan('people:write');
  const { person } = useViewer();
  const close = () => {
    setAsks(false);
    clear();
  };
  return (
    <Loaded reading={reading}>
      {({ approvalSettings }) => {
        const isOn = approvalSettings?.required === true;
        const input = { required: !isOn };
        return (
          <Panel
            title="Two people"
            actions={
              canWrite &&
              person !== null && (
                <Button onPress={() => setAsks(true)}>{isOn ? 'Ask for nobody' : 'Ask for a second person'}</Button>
              )
            }
          >
            <p>
              {isOn
                ? 'Changes of roles and sign-in providers, letting somebody in again, deleting an SSH certificate authority and what locks somebody out wait until a second person approves them.'
                : 'Nothing waits for a second person here.'}
            </p>
            {asks && (
              <Confirm
                title={isOn ? 'Make such changes alone again?' : 'Have such changes wait for a second person?'}
                action={isOn ? 'Ask for nobody' : 'Ask for a second person'}
                running={running}
                problem={problem}
                close={close}
                call={<Call document={UpdateApprovalSettingsDocument} variables={{ input }} />}
                confirm={async () => {
                  if (!(await run({ input }))) return;
                  say('Saved.');
                  close();
                }}
              >
                {isOn
                  ? 'A second person has to approve this as well.'
                  : 'API keys of the account can make none of these changes any more: people ask for them, also with personal keys. To switch it off takes a second person, or the operator of the server.'}
              </Confirm>
            )}
          </Panel>
        );
      }}
    </Loaded>
  );
}

export default function Approvals() {
  const question = useQuestion(listOrders);
  const pages = usePages(ApprovalsDocument, question.variables, (data) => data.approvalRequests, ['ApprovalRequest']);
  const [chosen, setChosen] = useState<{ request: Request; decision: Decision } | null>(null);
  const canWrite = useCan('approvals:write');
  const choose = (request: Request, decision: Decision) => () => setChosen({ request, decision });
  const isLive = ({ state }: Request) => state === 'open' || state === 'approved';
  return (
    <Page
      title="Approvals"
      description="Changes that nobody makes alone: they wait until a second person approves them."
    >
      <Settings />
      <Panel title="Requests" flush bare>
        <List
          label="Requests"
          make={null}
          question={question}
          searched="what the change does, or who asked"
          pages={pages}
          columns={[
            {
              title: 'Change',
              cell: (request) => (
                <span className="row">
                  {request.summary}
                  <Badge tone={tones[request.state]}>{words[request.state]}</Badge>
                </span>
              ),
            },
            { title: 'Asked by', cell: ({ requesterName, own }) => (own ? `${requesterName} (you)` : requesterName) },
            { title: 'Decided by', wide: true, cell: ({ deciderName }) => deciderName },
            { title: 'Until', wide: true, cell: ({ expiresAt }) => <Time value={expiresAt} /> },
            {
              title: 'Decide',
              isTitleHidden: true,
              align: 'end',
              cell: (request) =>
                isLive(request) && (
                  <span className="row">
                    {request.own && (
                      <Button label={`Withdraw: ${request.summary}`} onPress={choose(request, 'withdraw')}>
                        Withdraw
                      </Button>
                    )}
                    {canWrite && request.whyNotYours === null && (
                      <Button label={`Refuse: ${request.summary}`} onPress={choose(request, 'refuse')}>
                        Refuse
                      </Button>
                    )}
                    {canWrite && request.whyNotYours === null && request.state === 'open' && (
                      <Button label={`Approve: ${request.summary}`} onPress={choose(request, 'approve')}>
                        Approve
                      </Button>
                    )}
                  </span>
                ),
            },
          ]}
          empty={{
            title: 'Nothing waits',
            text: 'A change that waits for a second person appears here, for everybody who could make it.',
          }}
        />
      </Panel>
      {chosen !== null && <Decide {...chosen} close={() => setChosen(null)} />}
    </Page>
  );
}
