// Deletes the chosen rules of a policy.

import type { Chosen } from '../../kit/selection.tsx';
import { count } from '../../kit/words.ts';
import { EndChosen } from '../../trail/end-chosen.tsx';
import { useLookAtRules } from './change.ts';
import { DeleteIpPolicyRulesDocument } from './ip-policies.generated.ts';
import { changedKinds, type Rule } from './rule-change.tsx';

/** Names the first ranges of rules. */
function Ranges({ rules }: { rules: readonly Rule[] }) {
  const more = rules.length - 10;
  return (
    <>
      <code>
        {rules
          .slice(0, 10)
          .map(({ cidr }) => cidr)
          .join(', ')}
      </code>
      {more > 0 && ` and ${more} more`}
    </>
  );
}

/** The button that deletes the chosen rules, with its question. */
export default function DeleteChosen({ ipPolicyId, ...rows }: Chosen<Rule> & { readonly ipPolicyId: string }) {
  const look = useLookAtRules(ipPolicyId);
  return (
    <EndChosen
      {...rows}
      label="Delete"
      document={DeleteIpPolicyRulesDocument}
      kinds={changedKinds}
      variables={(rules, force) => ({
        input: {
          objects: rules.map(({ id, version }) => ({ id, expectedVersion: version })),
          ...(force && { force }),
        },
      })}
      look={(rules) => look({ add: [], remove: rules.map(({ id }) => id) })}
      question={(rules) => ({
        title: `Delete ${count(rules.length, 'rule')}?`,
        action: 'Delete them',
        text: <Ranges rules={rules} />,
      })}
      said={(rules) => `${count(rules.length, 'rule')} deleted.`}
      undoes={(rules) => rules.map(({ id }) => id)}
    />
  );
}
