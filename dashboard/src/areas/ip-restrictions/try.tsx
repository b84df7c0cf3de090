// "Try an address": what the restrictions of a type do with an address, and the rules that decide.

import { useData } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import { problemOf } from '../../client/problem.ts';
import type { IpRestrictionEffect, IpRestrictionType } from '../../client/types.generated.ts';
import { TryPanel } from '../../impact/try-form.tsx';
import { readType, restrictionTypes, typeTitle } from '../../impact/words.ts';
import { useAddressParameter } from '../../kit/address.ts';
import { Badge } from '../../kit/badge.tsx';
import { Call } from '../../kit/call.tsx';
import { SelectField } from '../../kit/fields.tsx';
import { Link } from '../../kit/link.tsx';
import { Loading, Notice, ProblemNotice, type Tone } from '../../kit/notice.tsx';
import { EvaluateIpDocument, type EvaluateIpQuery } from './ip-restrictions.generated.ts';
import styles from './try.module.css';

type Verdict = NonNullable<EvaluateIpQuery['evaluateIp']>['verdicts'][number];

const effects: Readonly<Record<IpRestrictionEffect, { readonly title: string; readonly tone: Tone }>> = {
  pass: { title: 'Passes', tone: 'good' },
  warn: { title: 'Warns', tone: 'caution' },
  refuse: { title: 'Refuses', tone: 'bad' },
};

/** The rule that decided. */
function Decider({ rule }: { rule: Verdict['decidedBy'] }) {
  if (rule === null) return <span className="muted">No rule covers it, so it is not allowed.</span>;
  return (
    <span>
      {rule.action === 'allow' ? 'Allowed' : 'Denied'} by <code>{rule.cidr}</code> of{' '}
      <Link href={`/ip-policies/${rule.ipPolicy.id}`}>{nameOf(rule.ipPolicy)}</Link>
    </span>
  );
}

function Answer({ address, type, here }: { address: string; type: IpRestrictionType; here: string | undefined }) {
  const variables = { address, type };
  const kinds = ['IpRestriction', 'IpPolicy', 'IpPolicyRule'];
  const { data, error } = useData(EvaluateIpDocument, variables, kinds);
  if (error) return <ProblemNotice problem={problemOf(error)} />;
  const evaluation = data?.evaluateIp;
  if (!evaluation) return <Loading />;
  const { allowed, warned, verdicts } = evaluation;
  return (
    <>
      <Notice
        tone={!allowed ? 'bad' : warned ? 'caution' : 'good'}
        title={!allowed ? 'Kept out.' : warned ? 'Let in, with a warning.' : 'Let in.'}
      >
        {verdicts.length === 0
          ? `There is no restriction of the type ${typeTitle(type)}: everybody is let in.`
          : !allowed
            ? 'An enforced restriction refuses this address.'
            : warned
              ? 'A restriction that is not enforced would refuse it.'
              : 'Every restriction of the type allows it.'}
      </Notice>
      {verdicts.length > 0 && (
        <ul className={styles.verdicts} aria-label="Verdicts">
          {verdicts.map(({ effect, restriction, decidedBy }) => (
            <li key={restriction.id}>
              <Badge tone={effects[effect].tone}>{effects[effect].title}</Badge>
              <div>
                {restriction.id === here ? (
                  <strong>This restriction</strong>
                ) : (
                  <Link href={`/ip-restrictions/${restriction.id}`}>{nameOf(restriction)}</Link>
                )}
                <p>
                  <Decider rule={decidedBy} />
                </p>
              </div>
            </li>
          ))}
        </ul>
      )}
      <Call document={EvaluateIpDocument} variables={variables} />
    </>
  );
}

/**
 * Tries an address. The address and type are kept in the page's own address.
 *
 * @param type the type to try; if it is not given, the user chooses one
 * @param here the restriction whose page this is
 */
export function TryAddress({ type: fixed, here }: { type?: IpRestrictionType; here?: string }) {
  const [address, setAddress] = useAddressParameter('try');
  const [chosen, choose] = useAddressParameter('for');
  const type = fixed ?? readType(chosen) ?? 'endpoints';
  return (
    <TryPanel
      description="What restrictions do with it now, and the rule that decides."
      address={address}
      onTry={setAddress}
      choices={
        fixed === undefined && (
          <SelectField label="Comes to" value={type} onChange={choose} options={restrictionTypes} />
        )
      }
    >
      {address !== '' && <Answer key={`${address} ${type}`} address={address} type={type} here={here} />}
    </TryPanel>
  );
}
