// "Try an address": what a policy alone says about an address, and the rule that decides.

import { useData } from '../../client/data.ts';
import { problemOf } from '../../client/problem.ts';
import { TryPanel } from '../../impact/try-form.tsx';
import { useAddressParameter } from '../../kit/address.ts';
import { Call } from '../../kit/call.tsx';
import { Link } from '../../kit/link.tsx';
import { Loading, Notice, ProblemNotice } from '../../kit/notice.tsx';
import { Time } from '../../kit/time.tsx';
import { EvaluateIpPolicyDocument } from './ip-policies.generated.ts';
import styles from './try.module.css';

function Answer({ ipPolicyId, address }: { ipPolicyId: string; address: string }) {
  const variables = { ipPolicyId, address };
  const { data, error } = useData(EvaluateIpPolicyDocument, variables, ['IpPolicyRule']);
  if (error) return <ProblemNotice problem={problemOf(error)} />;
  const evaluation = data?.evaluateIpPolicy;
  if (!evaluation) return <Loading />;
  const { passes, decidedBy } = evaluation;
  return (
    <>
      <Notice tone={passes ? 'good' : 'bad'} title={passes ? 'Allowed.' : 'Not allowed.'}>
        {decidedBy === null ? (
          'No rule covers this address.'
        ) : (
          <>
            The rule for <code>{decidedBy.cidr}</code> {decidedBy.action === 'allow' ? 'allows' : 'denies'} it
            {decidedBy.description !== '' && ` (${decidedBy.description})`}
            {decidedBy.expiresAt !== null && (
              <>
                {' '}
                and ends <Time value={decidedBy.expiresAt} />
              </>
            )}
            .
          </>
        )}
      </Notice>
      <p className={styles.further}>
        Whether it is let in depends on the restrictions:{' '}
        <Link href={`/ip-restrictions?try=${encodeURIComponent(address)}`}>try it there</Link>.
      </p>
      <Call document={EvaluateIpPolicyDocument} variables={variables} />
    </>
  );
}

/** Tries an address. The address is kept in the page's own address. */
export function TryPolicy({ ipPolicyId }: { ipPolicyId: string }) {
  const [address, setAddress] = useAddressParameter('try');
  return (
    <TryPanel
      description="What this policy says of it, and the rule that decides."
      address={address}
      onTry={setAddress}
    >
      {address !== '' && <Answer key={address} ipPolicyId={ipPolicyId} address={address} />}
    </TryPanel>
  );
}
