// The steps in which the changes of a document are made in a draft: in which order, and again where something is in the way.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { createTimedPauses } from '../../domain/concurrency/pauses.ts';
import type { Steps } from '../../domain/concurrency/steps.ts';
import { SallyportError } from '../../domain/errors.ts';
import { type Entry, referencesOf } from './entries-schema.ts';
import type { ConfiguredName } from './names-store.ts';
import type { ConfiguredState } from './state-schema.ts';

/** An object of the document with what it was. */
export interface Subject {
  readonly entry: Entry;
  readonly was: ConfiguredState | undefined;
  readonly ownedAs: ConfiguredName | undefined;
}

/** A change of an object, made in the draft. */
export type Step = () => Promise<void>;

/** Errors after which a change may succeed once others are made: what is in its way is moved by them. */
const inTheWay: ReadonlySet<string> = new Set(['DUPLICATE', 'IN_USE', 'UNKNOWN_REFERENCE']);

/** Returns whether a step may succeed later. An id that the document gives and nothing has stays unknown. */
function mayHelp(error: unknown): boolean {
  return error instanceof SallyportError && inTheWay.has(error.code) && error.missing === undefined;
}

/**
 * Takes steps in order. Those that something is in the way of are taken again after the others, for as long as that helps: from the
 * last to the first and back, so that of steps that each make room for the one before, all succeed in the second round.
 *
 * @throws what the first of those that cannot be taken throws
 */
export async function takeSteps(steps: readonly Step[]): Promise<void> {
  let waiting = steps;
  const pauses = createTimedPauses();
  for (let isForward = true; waiting.length > 0; isForward = !isForward) {
    const failed: { readonly step: Step; readonly error: unknown }[] = [];
    for (const step of waiting) {
      try {
        await step();
      } catch (error) {
        if (!mayHelp(error)) throw error;
        failed.push({ step, error });
      }
      if (pauses.due()) await nextTurn();
    }
    const first = isForward ? failed[0] : failed.at(-1);
    if (first !== undefined && failed.length === waiting.length) throw first.error;
    waiting = failed.map(({ step }) => step).reverse();
  }
}

/** Does work for what is at a path of the document. Errors name the path; those that name one already keep it. */
export async function at<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SallyportError)) throw error;
    const { code, message, field, cause, missing } = error;
    const named =
      field === undefined
        ? path
        : field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`)
          ? field
          : joinedPath(path, field);
    throw new SallyportError(code, message, { field: named, cause, ...(missing === undefined ? {} : { missing }) });
  }
}

/** Joins a path with one in it. The input of a list names the list, which the path names already. */
function joinedPath(path: string, field: string): string {
  const last = path.slice(path.lastIndexOf('.') + 1);
  return field.startsWith(`${last}[`) ? `${path}${field.slice(last.length)}` : `${path}.${field}`;
}

/** Returns what identifies an object of a document. */
export function keyOf(kind: string, name: string): string {
  return `${kind} ${name}`;
}

/**
 * Sorts objects so that each comes after those that it refers to, and after its whole. Chains may be as long as a document.
 *
 * @throws INVALID_INPUT for objects that refer to each other
 */
export function* inOrderOfReferences(subjects: readonly Subject[]): Steps<Subject[]> {
  const byKey = new Map(subjects.map((subject) => [keyOf(subject.entry.kind.kind, subject.entry.name), subject]));
  const ordered = new Set<Subject>();
  const visiting = new Set<Subject>();
  /** What is being visited, each after what needs it, with what it still needs itself. */
  const open: { readonly subject: Subject; readonly needed: Subject[] }[] = [];
  const visit = (subject: Subject): void => {
    if (ordered.has(subject)) return;
    const { entry } = subject;
    if (visiting.has(subject)) {
      const message = 'refers to itself, through others: none of them can be created before the others.';
      throw new SallyportError('INVALID_INPUT', message, { field: entry.path });
    }
    visiting.add(subject);
    const whole = entry.whole === null ? [] : [{ kind: entry.whole.kind.kind, name: entry.whole.name }];
    const needed = [...referencesOf(entry), ...whole].flatMap(({ kind, name }) => byKey.get(keyOf(kind, name)) ?? []);
    open.push({ subject, needed: needed.reverse() });
  };
  for (const subject of subjects) {
    visit(subject);
    for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
      const next = last.needed.pop();
      if (next !== undefined) {
        visit(next);
        continue;
      }
      open.pop();
      visiting.delete(last.subject);
      ordered.add(last.subject);
      yield;
    }
  }
  return [...ordered];
}
