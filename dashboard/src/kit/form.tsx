// Forms that change an object: its fields, conflicts with the changes of others, and errors from the server.

import { type ReactNode, useRef } from 'react';
import { useLive } from '../client/live.ts';
import type { Problem } from '../client/problem.ts';
import { useViewer } from '../client/rights.ts';
import { useStore } from '../client/use-store.ts';
import { Button } from './button.tsx';
import type { Clash, Draft, Values } from './draft.ts';
import { sentLines } from './fields.tsx';
import styles from './form.module.css';
import { Answers, Notice, ProblemNotice } from './notice.tsx';
import { sayChanger } from './words.ts';

/** Maximum number of characters shown of a value: some values are whole files. */
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

/** Says that somebody else has changed fields of this form, and shows both versions. */
function Clashes<V extends Values>({
  draft,
  clashes,
  titles,
  by,
  decide,
}: {
  draft: Draft<V>;
  clashes: readonly Clash[];
  /** Titles of the fields. */
  titles: Readonly<Record<string, string>>;
  /** Who made the other change, if known. */
  by: string | undefined;
  /** Carries out the decision, which removes the buttons of this notice. */
  decide: (deed: () => void) => void;
}) {
  const { person } = useViewer();
  return (
    <Notice tone="caution" title={`${sayChanger(by, person?.displayName)} changed this since you began.`}>
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

/** Says beside the button why the form is not saved, or cannot be; null if it can. */
function whyNot(
  draft: Draft<Values>,
  isClashing: boolean,
  problem: Problem | null,
  titles: Readonly<Record<string, string>>,
  isLost: boolean,
): string | null {
  if (isClashing) return 'Decide above first: it has been changed since you began.';
  const wrong = Object.keys(draft.values).find((field) => errorOf(problem, field) !== null);
  if (wrong !== undefined) return `Not saved: see “${titles[wrong] ?? sayField(wrong)}” above.`;
  return isLost && draft.isDirty ? 'The server cannot be reached at the moment.' : null;
}

/** Returns the name of a field as words: `idpMetadata` is `Idp metadata`. */
const sayField = (field: string) => {
  const words = field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
};

export interface EditFormProps<V extends Values> {
  readonly draft: Draft<V>;
  readonly titles?: Readonly<Record<string, string>>;
  readonly by?: string | undefined;
  readonly running: boolean;
  readonly problem: Problem | null;
  /** Whether the key may change the object; otherwise the form says so, and has no buttons. */
  readonly canWrite: boolean;
  readonly save: () => void;
  /** Label of the button; "Save" by default. */
  readonly action?: string | undefined;
  /** The API call it is about to send. */
  readonly call?: ReactNode;
  readonly children: ReactNode;
}

/** A form that changes an object. Enter saves it, if anything has been changed. */
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
  // While saving, the form's own change may arrive before the answer, and is no conflict.
  const clashes = running ? null : draft.clashes;
  const isLost = useStore(useLive().state) === 'lost';
  const actions = useRef<HTMLDivElement>(null);
  /** Runs an action that removes the pressed button, after moving the focus to the button that stays. */
  const decide = (deed: () => void) => {
    actions.current?.querySelector('button')?.focus();
    deed();
  };
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <Answers>
        {clashes !== null && <Clashes draft={draft} clashes={clashes} titles={titles} by={by} decide={decide} />}
      </Answers>
      {children}
      {/* Fields show their own errors. */}
      <ProblemNotice problem={beyond(problem, Object.keys(draft.values))} />
      {canWrite && (
        <div ref={actions} className={styles.actions}>
          <Button type="submit" look="primary" isIdle={!draft.isDirty || clashes !== null} isPending={running}>
            {action}
          </Button>
          {/* Hidden while saving: the optimistic values shown then are not the ones to go back to. */}
          {draft.isDirty && !running && <Button onPress={() => decide(draft.reset)}>Discard</Button>}
          <span className={styles.why} role="status">
            {running ? (
              <span className={styles.saving}>Saving…</span>
            ) : (
              whyNot(draft, clashes !== null, problem, titles, isLost)
            )}
          </span>
        </div>
      )}
      {!canWrite && <p className="muted">The key that you are signed in with may not change this.</p>}
      {canWrite && call}
    </form>
  );
}

/** Returns the error message of a field, without the API's name for it; null if the problem is about something else. */
export function errorOf(problem: Problem | null, field: string): string | null {
  if (problem === null || problem.field === null) return null;
  if (problem.field === field) return problem.message.replace(`${field}: `, '');
  return problem.field.startsWith(`${field}[`) ? problem.message : null;
}

/** Returns the error message of a `LinesField`, with the line it is about; null if there is none. */
export function lineErrorOf(problem: Problem | null, field: string, lines: readonly string[]): string | null {
  const error = errorOf(problem, field);
  const [named, index] = new RegExp(`^${field}\\[(\\d+)\\]$`).exec(problem?.field ?? '') ?? [];
  if (error === null || index === undefined) return error;
  return `Line ${Number(index) + 1}, ${sentLines(lines)[Number(index)] ?? ''}: ${error.replace(`${named}: `, '')}`;
}

/** Returns the problem unless one of these fields shows it itself, in which case null. */
export function beyond(problem: Problem | null, fields: readonly string[]): Problem | null {
  return fields.some((field) => errorOf(problem, field) !== null) ? null : problem;
}
