// Forms that change an object: what was entered, what others have changed meanwhile, and what the server says.

import { type ReactNode, useRef } from 'react';
import type { Problem } from '../client/problem.ts';
import { Button } from './button.tsx';
import type { Clash, Draft, Values } from './draft.ts';
import { sentLines } from './fields.tsx';
import styles from './form.module.css';
import { Answers, Notice, ProblemNotice } from './notice.tsx';

/** Characters of a value that are shown: some are files. */
const shownMax = 300;

const inFull = (value: unknown) =>
  value === null || value === ''
    ? 'nothing'
    : Array.isArray(value) && value.every((each) => typeof each === 'string')
      ? value.join(', ')
      : typeof value === 'string'
        ? value
        : JSON.stringify(value);

const show = (value: unknown) => {
  const text = inFull(value);
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
};

/** Says that somebody else has changed the object, and shows both. */
function Clashes<V extends Values>({
  draft,
  clashes,
  titles,
  by,
  decide,
}: {
  draft: Draft<V>;
  clashes: readonly Clash[];
  /** What fields are called. */
  titles: Readonly<Record<string, string>>;
  /** Who it was, where that is known. */
  by: string | undefined;
  /** Does what was decided, by which these buttons go. */
  decide: (deed: () => void) => void;
}) {
  return (
    <Notice tone="caution" title={`${by ?? 'Somebody else'} has changed this since you began.`}>
      What you have entered is still here. Look at both, and decide.
      <div className={styles.clash}>
        {clashes.map((clash) => (
          <dl key={clash.field}>
            <dt>{titles[clash.field] ?? clash.field}</dt>
            <dd />
            <dt>now</dt>
            <dd>{show(clash.theirs)}</dd>
            <dt>yours</dt>
            <dd>{show(clash.mine)}</dd>
          </dl>
        ))}
        <div className="row">
          <Button onPress={() => decide(draft.keepMine)}>Go on with mine</Button>
          <Button onPress={() => decide(draft.reset)}>Take theirs</Button>
        </div>
      </div>
    </Notice>
  );
}

/** What a form that changes an object shows around its fields. */
interface EditFormProps<V extends Values> {
  readonly draft: Draft<V>;
  readonly titles?: Readonly<Record<string, string>>;
  readonly by?: string | undefined;
  readonly running: boolean;
  readonly problem: Problem | null;
  /** Whether the key may change the object; otherwise the form has no buttons. */
  readonly canWrite: boolean;
  readonly save: () => void;
  /** What the button says, where it is not "Save". */
  readonly action?: string | undefined;
  /** The call that it is about to send. */
  readonly call?: ReactNode;
  readonly children: ReactNode;
}

/** A form that changes an object. It saves with Enter, and only what was changed. */
export function EditForm<V extends Values>({
  draft,
  titles = {},
  by,
  running,
  problem,
  canWrite,
  save,
  action = 'Save',
  call,
  children,
}: EditFormProps<V>) {
  // What it is saving itself may be there before the answer.
  const clashes = running ? null : draft.clashes;
  const actions = useRef<HTMLDivElement>(null);
  /** Does something by which the button that was pressed goes: who has pressed it is then at the one that stays. */
  const decide = (deed: () => void) => {
    actions.current?.querySelector('button')?.focus();
    deed();
  };
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (draft.isDirty && clashes === null && !running) save();
      }}
    >
      <Answers>
        {clashes !== null && <Clashes draft={draft} clashes={clashes} titles={titles} by={by} decide={decide} />}
      </Answers>
      {children}
      {/* A field that is to blame says so itself. */}
      <ProblemNotice problem={beyond(problem, Object.keys(draft.values))} />
      {canWrite && (
        <div ref={actions} className={styles.actions}>
          <Button type="submit" look="primary" isIdle={!draft.isDirty || clashes !== null} isPending={running}>
            {action}
          </Button>
          {/* While it is saved, the object is shown as if it were: that is not what there is to go back to. */}
          {draft.isDirty && !running && <Button onPress={() => decide(draft.reset)}>Discard</Button>}
        </div>
      )}
      {canWrite && call}
    </form>
  );
}

/** Gives what is wrong with a field, where the problem is about it: without its name in the API, as it stands beside the field. */
export function errorOf(problem: Problem | null, field: string): string | null {
  if (problem === null || problem.field === null) return null;
  if (problem.field === field) return problem.message.replace(`${field}: `, '');
  return problem.field.startsWith(`${field}[`) ? problem.message : null;
}

/** Gives what is wrong with a field of lines, with the line that is to blame; null if nothing is. */
export function lineErrorOf(problem: Problem | null, field: string, lines: readonly string[]): string | null {
  const error = errorOf(problem, field);
  const [named, index] = new RegExp(`^${field}\\[(\\d+)\\]$`).exec(problem?.field ?? '') ?? [];
  if (error === null || index === undefined) return error;
  return `Line ${Number(index) + 1}, ${sentLines(lines)[Number(index)] ?? ''}: ${error.replace(`${named}: `, '')}`;
}

/** Gives a problem that none of these fields says itself; null where one does. */
export function beyond(problem: Problem | null, fields: readonly string[]): Problem | null {
  return fields.some((field) => errorOf(problem, field) !== null) ? null : problem;
}
