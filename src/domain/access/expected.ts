// What can be expected of an account: questions to the functions that decide, and their answers. Pure.

import type { Nameable } from '../wording.ts';
import type { KeyAges } from './key-ages.ts';

/** The kinds of questions, each with the function that answers it. */
export const expectationKinds = ['ip', 'gate', 'tls', 'renewal', 'enrollment'] as const;
export type ExpectationKind = (typeof expectationKinds)[number];

/** What can be expected. `login` is of a gate alone. */
export const expectedOutcomes = ['allowed', 'refused', 'login'] as const;
export type ExpectedOutcome = (typeof expectedOutcomes)[number];

/** What comes of a question: also `mixed` for a range, and `unknown` if what it asks about does not exist. */
export type Outcome = ExpectedOutcome | 'mixed' | 'unknown';

/** Who does what. Each kind has some of these fields; of the others, texts are empty. */
export interface Question {
  readonly kind: ExpectationKind;
  /** An address, or a range in canonical form, which `ip` alone takes. */
  readonly address: string;
  /** A type of IP restriction: `api`, `dashboard`, `agent` or `endpoints`. */
  readonly trafficType: string;
  readonly httpsEdgeId: string | null;
  readonly url: string;
  readonly method: string;
  /** The groups of a user who has logged in; null for somebody who has not. */
  readonly groups: readonly string[] | null;
  readonly tlsEdgeId: string | null;
  readonly serverName: string;
  readonly hostName: string;
  readonly sshCertificateAuthorityId: string | null;
}

export interface Answer {
  readonly outcome: Outcome;
  /** Whether a connection is logged; null for kinds that do not tell. */
  readonly logged: boolean | null;
  /** A sentence that says why. */
  readonly reason: string;
  /** The IP restriction that refuses; absent if something else decides. */
  readonly refusedBy?: Nameable;
  /** True if it is unknown only because it would take too much to find out: that holds up nothing. */
  readonly isTooMuch?: true;
}

export interface Expected {
  readonly expected: ExpectedOutcome;
  /** Null if it does not matter. */
  readonly logged: boolean | null;
}

/** Returns whether an answer is as expected. */
export function isMet({ expected, logged }: Expected, answer: Answer): boolean {
  return answer.outcome === expected && (logged === null || logged === answer.logged);
}

const words: Readonly<Record<Outcome, string>> = {
  allowed: 'allowed',
  refused: 'refused',
  login: 'asked to log in',
  mixed: 'allowed in part',
  unknown: 'unknown, because what is asked about does not exist',
};

/** Says what is the case: as `outcomeInWords`, but also that it would take too much to find out. */
export function answerInWords({ outcome, logged, isTooMuch }: Answer): string {
  return isTooMuch === true ? 'unknown, because it would take too much to find out' : outcomeInWords(outcome, logged);
}

/** Says what is expected, or what comes instead: `refused and logged`. */
export function outcomeInWords(outcome: Outcome, logged: boolean | null): string {
  if (logged === null) return words[outcome];
  return `${words[outcome]} and ${logged ? 'logged' : 'not logged'}`;
}

/** Settings of the server that decisions depend on besides the data of an account, and what needs attention. */
export interface DecidingSettings {
  readonly keyAges: KeyAges;
  readonly gateAllowSemicolon: boolean;
  /** For how many days after a host certificate has expired its host may still renew it. */
  readonly renewalGraceDays: number;
}
