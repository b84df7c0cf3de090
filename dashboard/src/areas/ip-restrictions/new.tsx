// Creates a restriction.

import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAction } from '../../client/data.ts';
import type { IpRestrictionType } from '../../client/types.generated.ts';
import { useGuarded } from '../../impact/guarded.tsx';
import { Preview, type RestrictionDraft } from '../../impact/preview.tsx';
import { restrictionTypes, typeAbout } from '../../impact/words.ts';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { Dialog, DialogActions } from '../../kit/dialog.tsx';
import { SelectField, Switch, TextField } from '../../kit/fields.tsx';
import { beyond, errorOf } from '../../kit/form.tsx';
import { ProblemNotice } from '../../kit/notice.tsx';
import { PoliciesField } from '../../policies/policies-field.tsx';
import { useLookAtRestriction } from './change.ts';
import { CreateIpRestrictionDocument } from './ip-restrictions.generated.ts';

const fields = ['description', 'ipPolicyIds', 'type'];

/** The dialog that creates a restriction. */
export default function NewRestriction({
  type: first,
  close,
}: {
  type: IpRestrictionType | undefined;
  close: () => void;
}) {
  const [type, setType] = useState<IpRestrictionType>(first ?? 'endpoints');
  const [ipPolicyIds, setPolicies] = useState<string[]>([]);
  const [enforced, setEnforced] = useState(false);
  const [description, setDescription] = useState('');
  const creation = useAction(CreateIpRestrictionDocument, ['IpRestriction']);
  const look = useLookAtRestriction();
  const [, navigate] = useLocation();
  const draft: RestrictionDraft = { id: null, type, enforced, ipPolicyIds };
  const input = { type, description, enforced, ipPolicyIds };
  const guarded = useGuarded<RestrictionDraft>({
    look,
    send: async (_, force) => {
      const made = await creation.run({ input: force ? { ...input, force } : input });
      if (made?.createIpRestriction) {
        // So that "back" leads from the new page to the list, not to a form that creates another restriction.
        close();
        navigate(`/ip-restrictions/${made.createIpRestriction.ipRestriction.id}`);
      }
      return made !== null;
    },
    running: creation.running,
    problem: creation.problem,
    clear: creation.clear,
    words: () => ({ title: 'Enforce this restriction?', action: 'Create and enforce', ipPolicyIds }),
    type,
  });
  const { problem } = guarded;
  return (
    <>
      <Dialog title="New IP restriction" close={close} wide>
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void guarded.attempt(draft);
          }}
        >
          <SelectField
            label="Type"
            value={type}
            onChange={setType}
            options={restrictionTypes}
            hint={`${typeAbout(type)} The type cannot be changed later.`}
            error={errorOf(problem, 'type')}
          />
          <PoliciesField
            value={ipPolicyIds}
            onChange={setPolicies}
            known={[]}
            error={errorOf(problem, 'ipPolicyIds')}
          />
          <TextField
            label="Description"
            value={description}
            onChange={setDescription}
            hint="What people know it by, such as “Public endpoints”."
            error={errorOf(problem, 'description')}
          />
          <Switch
            label="Enforce it"
            value={enforced}
            onChange={setEnforced}
            hint="Otherwise it only warns, and you see first whom it would keep out."
          />
          {ipPolicyIds.length > 0 && <Preview draft={draft} />}
          <ProblemNotice problem={beyond(problem, fields)} />
          <DialogActions>
            <Button onPress={close}>Cancel</Button>
            <Button
              type="submit"
              look="primary"
              isDisabled={ipPolicyIds.length === 0}
              isPending={guarded.pending !== null}
            >
              Create
            </Button>
          </DialogActions>
          <Call
            rest={{
              method: 'POST',
              path: '/ip_restrictions',
              body: { type, description, enforced, ip_policy_ids: ipPolicyIds },
            }}
            document={CreateIpRestrictionDocument}
            variables={{ input }}
          />
        </form>
      </Dialog>
      {guarded.question}
    </>
  );
}
