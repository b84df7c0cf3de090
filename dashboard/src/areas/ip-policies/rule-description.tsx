// The description of a rule, edited in its row.

import { useEffect, useState } from 'react';
import { useAction } from '../../client/data.ts';
import { Overtaken } from '../../trail/overtaken.tsx';
import { useDone } from '../../trail/undo.ts';
import { UpdateIpPolicyRuleDocument } from './ip-policies.generated.ts';
import { changedKinds, type Rule } from './rule-change.tsx';
import styles from './rules.module.css';

/** The description of a rule: looks like text until it is edited. */
export function RuleDescription({
  rule,
  canWrite,
  onEnter,
}: {
  rule: Rule;
  canWrite: boolean;
  /** Called with the text and the version that it replaces, when the field gets the focus and when the text changes. */
  onEnter: (text: string, version: number) => void;
}) {
  // The edited text, with the version of the rule that it replaces.
  const [mine, setMine] = useState<{ readonly text: string; readonly version: number } | null>(null);
  const { run, running, problem, clear } = useAction(UpdateIpPolicyRuleDocument, changedKinds);
  const done = useDone();
  const { id, cidr, description } = rule;
  // The saved text stays until the rule has been read again.
  useEffect(() => {
    setMine((entered) => (entered?.text === description ? null : entered));
  }, [description]);
  if (!canWrite) return <span>{description}</span>;
  /** Drops the entered text, and follows the rule again. */
  const drop = () => {
    setMine(null);
    clear();
  };
  /** Whether a text is the saved one. Never while a save is in flight, because `description` is about to change. */
  const isSaved = (text: string, version: number) => text === description && version <= rule.version && !running;
  const save = async () => {
    if (mine === null || running) return;
    const { text, version } = mine;
    if (isSaved(text, version)) return drop();
    const input = { id, description: text, expectedVersion: version };
    const written = (await run({ input }))?.updateIpPolicyRule?.ipPolicyRule;
    if (!written) return;
    setMine((entered) => entered && { ...entered, version: written.version });
    done(`Description of ${cidr} saved.`, written);
  };
  return (
    <>
      <input
        className={styles.inline}
        aria-label={`Description of ${cidr}`}
        aria-invalid={problem !== null}
        placeholder="Add a description"
        value={mine?.text ?? description}
        onFocus={(event) => onEnter(event.target.value, mine?.version ?? rule.version)}
        onChange={(event) => {
          const { value } = event.target;
          const version = mine?.version ?? rule.version;
          onEnter(value, version);
          if (isSaved(value, version)) drop();
          else setMine({ text: value, version });
        }}
        onBlur={() => void save()}
        onKeyDown={(event) => {
          if (event.key === 'Enter') void save();
          if (event.key === 'Escape') drop();
        }}
      />
      {mine !== null && problem?.code === 'VERSION_CONFLICT' && rule.version > mine.version ? (
        <Overtaken
          objectId={id}
          kind="IpPolicyRule"
          version={mine.version}
          goOn={() => {
            clear();
            setMine({ ...mine, version: rule.version });
          }}
        />
      ) : (
        problem && (
          <span className={styles.error} role="alert">
            {problem.message} {problem.code}
          </span>
        )
      )}
    </>
  );
}
