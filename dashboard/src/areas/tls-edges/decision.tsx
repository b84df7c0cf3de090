// What a traffic policy does with a connection, step by step.

import { Badge } from '../../kit/badge.tsx';
import { Notice } from '../../kit/notice.tsx';
import styles from './policy.module.css';
import type { EvaluateTlsPolicyQuery, TlsStepFragment } from './tls-edges.generated.ts';

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

/** The decision about a connection. */
export default function Decision({ answer }: { answer: NonNullable<EvaluateTlsPolicyQuery['evaluateTlsPolicy']> }) {
  const rule = answer.decidedBy;
  return (
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
  );
}
