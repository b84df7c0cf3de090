// What the traffic policy would do with a connection, before it is saved.

import { useEffect, useState } from 'react';
import { useData } from '../../client/data.ts';
import { problemOf } from '../../client/problem.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { TextField } from '../../kit/fields.tsx';
import { Fold } from '../../kit/fold.tsx';
import { Answers, Notice, ProblemNotice } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { useSettled } from '../../kit/settled.ts';
import styles from './policy.module.css';
import { type Direction, jsonError, type SentPolicy } from './rules.ts';
import { EvaluateTlsPolicyDocument, type TlsStepFragment } from './tls-edges.generated.ts';

/** The position of the rule that decides. */
export interface Decided {
  readonly direction: Direction;
  readonly position: number;
}

const effects = {
  pass: { title: 'passes', tone: 'good' },
  refuse: { title: 'refuses', tone: 'bad' },
  warn: { title: 'would refuse', tone: 'caution' },
  unknown: { title: 'not known here', tone: 'caution' },
} as const;

function Step({ step }: { step: TlsStepFragment }) {
  const { direction, position, name, matched, expressions, actions } = step;
  return (
    <li className={styles.step}>
      <div className="row">
        <b>
          {direction === 'inbound' ? 'Inbound' : 'Outbound'} rule {position + 1}
        </b>
        {name !== null && <span className="muted">{name}</span>}
        <Badge tone={matched ? 'accent' : 'neutral'}>{matched ? 'applies' : 'does not apply'}</Badge>
      </div>
      <ul className={styles.outcomes}>
        {expressions.map(({ expression, value, error }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an expression may occur more than once.
          <li key={at}>
            <Badge tone={value === null ? 'caution' : value ? 'good' : 'neutral'}>
              {value === null ? 'cannot tell' : String(value)}
            </Badge>
            <span>
              <code className={styles.code}>{expression}</code>
              {error !== null && <span className={styles.error}> {error}</span>}
            </span>
          </li>
        ))}
        {actions.map(({ type, effect, message }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an action may occur more than once.
          <li key={`action-${at}`}>
            <Badge tone={effects[effect].tone}>{effects[effect].title}</Badge>
            <span>
              <code>{type}</code> <span className="muted">{message}</span>
            </span>
          </li>
        ))}
      </ul>
    </li>
  );
}

/** The panel that tries a connection. After the first try, the answer is updated while the user types. */
export default function TryConnection({
  edgeId,
  isDraft,
  policy,
  isBroken,
  decided,
}: {
  edgeId: string;
  isDraft: boolean;
  /** The draft of the policy; null to try the saved policy. */
  policy: SentPolicy | null;
  /** Whether the draft has errors, so that it cannot be tried. */
  isBroken: boolean;
  /** Called with the rule that decides; null for none. */
  decided: (rule: Decided | null) => void;
}) {
  const [clientIp, setClientIp] = useState('');
  const [serverName, setServerName] = useState('');
  const [typed, setTyped] = useState('');
  const [isAsked, setAsked] = useState(false);
  const badJson = jsonError(typed);
  const connection = {
    clientIp: clientIp.trim(),
    ...(serverName.trim() !== '' && { serverName: serverName.trim() }),
    ...(typed.trim() !== '' && badJson === null && { variables: JSON.parse(typed) as unknown }),
  };
  const variables = { edge: edgeId, connection, policy };
  const settled = useSettled({ variables, isBroken }, 350);
  const isPaused = !isAsked || settled.isBroken || isBroken || settled.variables.connection.clientIp === '';
  const { data, error } = useData(EvaluateTlsPolicyDocument, settled.variables, ['TlsEdge', 'IpPolicy'], isPaused);
  const problem = error === undefined || isPaused ? null : problemOf(error);
  const isAddressWrong = problem?.field?.endsWith('clientIp') || problem?.message.includes('clientIp');
  const answer = isPaused || problem !== null ? null : (data?.evaluateTlsPolicy ?? null);
  const rule = answer?.decidedBy ?? null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `rule` is compared by value.
  useEffect(() => decided(rule), [rule?.direction, rule?.position, decided]);
  return (
    <Panel
      title="Try a connection"
      description={
        isDraft ? 'Against the rules as they stand above, before they are saved.' : 'Against the rules that are set.'
      }
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          setAsked(true);
        }}
      >
        <div className={styles.tryFields}>
          <TextField
            label="Client address"
            mono
            value={clientIp}
            onChange={setClientIp}
            placeholder="203.0.113.7"
            isRequired
            error={isAddressWrong && problem ? problem.message : null}
          />
          <TextField
            label="Server name (SNI)"
            mono
            value={serverName}
            onChange={setServerName}
            placeholder="db.example.com"
          />
          <Button type="submit" look="primary" isPending={false}>
            Try
          </Button>
        </div>
        <Fold title="More about the connection">
          <TextField
            label="Variables as JSON"
            mono
            lines={3}
            value={typed}
            onChange={setTyped}
            placeholder={'{"conn.tls.version": "1.3", "conn.geo.country_code": "DE"}'}
            hint="Values of further variables by their names, as expressions use them."
            error={badJson}
          />
        </Fold>
        <ProblemNotice problem={isAddressWrong ? null : problem} />
        <Answers>
          {isAsked && isBroken && (
            <Notice tone="caution">The rules above have errors. Mend them to see what they would do.</Notice>
          )}
          {answer && (
            <>
              <Notice
                tone={answer.allowed ? (answer.complete ? 'good' : 'caution') : 'bad'}
                title={answer.allowed ? 'It is let in.' : 'It is refused.'}
              >
                {rule !== null
                  ? `${rule.direction === 'inbound' ? 'Inbound' : 'Outbound'} rule ${rule.position + 1} decides.`
                  : answer.ipRestrictionAllows === false
                    ? 'The IP restriction of the edge does not allow the address.'
                    : answer.steps.length === 0
                      ? 'There are no rules that are on.'
                      : 'No rule refuses it.'}
                {!answer.complete && ' An edge may decide otherwise: not everything could be evaluated here.'}
              </Notice>
              <ol className={styles.steps}>
                {answer.steps.map((step) => (
                  <Step key={`${step.direction}-${step.position}`} step={step} />
                ))}
              </ol>
            </>
          )}
        </Answers>
        <Call document={EvaluateTlsPolicyDocument} variables={variables} />
      </form>
    </Panel>
  );
}
