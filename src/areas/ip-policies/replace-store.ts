// Replaces all rules of an IP policy by a list of them, in one change.

import { hasEnded } from '../../domain/ip/rule-end.ts';
import { isDuplicate, isMissingRow } from '../../storage/errors.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import { countedUp, type Row, type Write } from '../../storage/objects/collection.ts';
import { unlessOvertaken } from '../../storage/objects/overtaken.ts';
import { ipPolicies, ipPolicyRules, type NewRule, newRules, prepareCount, whyNotAdded } from './store.ts';

type Rule = Row<'IpPolicyRule'>;

/**
 * Makes the rules of a policy those of a list, all or none. A rule for a range that the policy has keeps its id: it is changed where it
 * differs, and left alone where it does not. So two rules can swap what they decide, and the rule that lets the client in can be changed.
 *
 * @returns the rules, in the order of the list
 * @throws as `createIpPolicyRules`; NOT_FOUND for a policy that does not belong to this account
 */
export async function replaceIpPolicyRules(
  scope: AccountScope,
  ipPolicyId: string,
  rules: readonly NewRule[],
): Promise<Rule[]> {
  await ipPolicies.get(scope, ipPolicyId);
  const ids = await unlessOvertaken(
    () => replace(scope, ipPolicyId, rules),
    (error) => isMissingRow(error) || isDuplicate(error),
  );
  return (await ipPolicyRules.getMany(scope, ids)).filter((rule) => rule !== null);
}

async function replace(scope: AccountScope, ipPolicyId: string, rules: readonly NewRule[]): Promise<string[]> {
  const stored = await scope.rows.pick('IpPolicyRule', decidesAnything, 'ipPolicyId', [ipPolicyId]);
  const byRange = new Map(stored.map((rule) => [rule.range, rule]));
  const wanted = newRules(scope, ipPolicyId, rules, (range, end) => {
    const known = byRange.get(range);
    // An end that a rule has already may have passed meanwhile.
    return known !== undefined && hasEnded(known, scope.now()) && known.expiresAt?.getTime() === end.getTime();
  }).map(({ object, columns }) => ({ object, columns, known: byRange.get(columns.range) }));
  const ids = wanted.map(({ object, known }) => known?.id ?? object.id);

  const added = wanted.filter(({ known }) => known === undefined);
  const changes = wanted.flatMap(({ columns, known }) =>
    known === undefined || isSame(columns, known) ? [] : [{ known, columns }],
  );
  const kept = new Set(ids);
  const removed = stored.filter(({ id }) => !kept.has(id));
  const more = added.length - removed.length;
  const update = ({ known: { id, version }, columns }: (typeof changes)[number]): Write =>
    ipPolicyRules.prepareUpdate(scope, { id, version }, { ...columns, ...countedUp });
  const count = prepareCount(scope, ipPolicyId, more);
  const replacing = removed.map(({ id, version }) => ipPolicyRules.prepareRemove(scope, id, version));
  const remembered = { ids };
  const [first, ...others] = added;
  const [change, ...changed] = changes;
  try {
    if (first !== undefined) {
      const following = ipPolicyRules.prepareCreateAll(scope, others);
      const alongside = [count, ...changes.map(update)];
      await ipPolicyRules.create(scope, first.columns, {
        object: first.object,
        alongside,
        following,
        replacing,
        remembered,
      });
    } else if (change !== undefined) {
      const { id, version } = change.known;
      const alongside = [count, ...changed.map(update)];
      await ipPolicyRules.update(scope, id, change.columns, version, { alongside, replacing, remembered });
    } else if (removed.length > 0) {
      const objects = removed.map(({ id, version }) => ({ id, expectedVersion: version }));
      await ipPolicyRules.removeTogether(scope, objects, { alongside: [count], remembered });
    }
  } catch (error) {
    throw await whyNotAdded(scope, ipPolicyId, more, error);
  }
  return ids;
}

/** The columns that are compared. */
const decidesAnything = ['id', 'version', 'cidr', 'range', 'action', 'expiresAt', 'description', 'metadata'] as const;

type Compared = Pick<Rule, 'cidr' | 'action' | 'expiresAt' | 'description' | 'metadata'>;

function isSame(columns: Compared, known: Compared): boolean {
  return (
    columns.cidr === known.cidr &&
    columns.action === known.action &&
    columns.expiresAt?.getTime() === known.expiresAt?.getTime() &&
    columns.description === known.description &&
    columns.metadata === known.metadata
  );
}
