// A way out for users about to lock themselves out: a rule that allows their own address.

import { useEffect, useRef, useState } from 'react';
import { useAction, useData } from '../client/data.ts';
import { nameOf } from '../client/kinds.ts';
import { Button } from '../kit/button.tsx';
import { Call } from '../kit/call.tsx';
import { SelectField } from '../kit/fields.tsx';
import { ProblemNotice } from '../kit/notice.tsx';
import { say } from '../kit/toast.tsx';
import { AllowYouDocument, WhereYouAreDocument } from './allow-you.generated.ts';
import { rangeOf } from './range.ts';

/** Focuses the element that replaces the pressed button, unless the user has moved the focus elsewhere meanwhile. */
function takeFocus(element: HTMLElement | null): void {
  if (document.activeElement === document.body) element?.focus();
}

/**
 * Offers to allow the client's address in one of the given policies.
 *
 * @param allowed called once the address is allowed; evaluates the change again
 */
export default function AllowYou({
  ipPolicyIds,
  allowed,
}: {
  ipPolicyIds: readonly string[];
  allowed: () => Promise<void>;
}) {
  const [chosen, setChosen] = useState('');
  const [isMade, setMade] = useState(false);
  const [isLookedAt, setLookedAt] = useState(false);
  const { data } = useData(WhereYouAreDocument, { ids: [...ipPolicyIds] }, []);
  const { run, running, problem } = useAction(AllowYouDocument, ['IpPolicyRule', 'IpPolicy']);
  // The policy already has a rule for this range, perhaps one that someone else has just created.
  const isThere = problem?.code === 'DUPLICATE';
  const isSettled = isMade || isThere;
  const look = useRef(allowed);
  look.current = allowed;
  useEffect(() => {
    if (isSettled) void look.current().then(() => setLookedAt(true));
  }, [isSettled]);
  const policies = data?.nodes?.filter((policy) => policy !== null) ?? [];
  const policy = policies.find(({ id }) => id === chosen) ?? policies[0];
  const address = data?.viewer?.clientAddress;
  if (policy === undefined || !address) return null;
  // Still shown, so the user is still locked out: another rule denies the address, or the existing rule does.
  if (isLookedAt) {
    return (
      <p ref={takeFocus} tabIndex={-1}>
        {isMade ? `${address} is allowed now, and` : `“${nameOf(policy)}” has a rule for ${address} already, which is`}{' '}
        still refused: a rule of one of its policies denies it.
      </p>
    );
  }
  const rule = { cidr: rangeOf(address), action: 'allow' as const };
  const input = { ipPolicyId: policy.id, ...rule };
  const allow = async () => {
    if (!(await run({ input }))) return;
    setMade(true);
    say(`${address} is allowed by “${nameOf(policy)}”.`);
  };
  return (
    <div className="stack">
      <div className="row">
        {policies.length > 1 && (
          <SelectField
            label="Policy that allows you"
            value={policy.id}
            onChange={setChosen}
            options={policies.map((each) => ({ value: each.id, title: nameOf(each) }))}
          />
        )}
        <Button onPress={() => void allow()} isPending={running || isSettled}>
          Allow {address} in “{nameOf(policy)}”
        </Button>
      </div>
      <ProblemNotice problem={isThere ? null : problem} />
      <Call
        title="The call that allows you"
        rest={{ method: 'POST', path: '/ip_policy_rules', body: { ip_policy_id: policy.id, ...rule } }}
        document={AllowYouDocument}
        variables={{ input }}
      />
    </div>
  );
}
