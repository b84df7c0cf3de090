// Whether hosts may enroll and renew, as expectations ask it.

import type { Answer, Outcome, Question } from '../../domain/access/expected.ts';
import { addressModels } from '../../domain/ip/address-models.ts';
import { readTextList } from '../../domain/values/decode.ts';
import { formatTimestamp } from '../../domain/values/time.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import { type Asking, type Deciders, inOrder, writesTo } from '../../storage/objects/deciders.ts';
import type { RowDelta } from '../../storage/objects/row-deltas.ts';
import { allows } from './enrollment/enrollment.ts';
import { isTooShort, renewableUntil } from './renewal/renewal.ts';

const decidesAddress = writesTo(...addressModels);

/** Hosts count the uses of tokens and replace certificates by themselves: that is no change of what they may do. */
function takesAway({ model, kind }: RowDelta, models: readonly string[]): boolean {
  return kind === 'remove' && models.includes(model);
}

/** Erases the key of an authority, or makes another one of it. */
function changesAuthority(delta: RowDelta): boolean {
  return delta.model === 'SshCertificateAuthority' && delta.kind === 'update' && 'retiredAt' in delta.columns;
}

export const deciders: Deciders = {
  renewal: {
    dependsOn: (delta) =>
      decidesAddress(delta) ||
      takesAway(delta, ['SshHostCertificate', 'SshCertificateAuthority']) ||
      changesAuthority(delta),
    answer: (view, questions, asking) =>
      eachFrom(questions, asking, (question) => answerRenewal(view, question, asking)),
  },
  enrollment: {
    dependsOn: (delta) =>
      decidesAddress(delta) ||
      takesAway(delta, ['SshEnrollmentToken', 'SshCertificateAuthority']) ||
      changesAuthority(delta) ||
      // A new token may allow what is expected to be refused.
      (delta.model === 'SshEnrollmentToken' && delta.kind === 'create'),
    answer(view, questions, asking) {
      // Read once, if an answer depends on them.
      let reading: Promise<Token[]> | undefined;
      return eachFrom(questions, asking, async (question) => {
        reading ??= readTokens(view, asking);
        return answerEnrollment(view, question, await reading, asking);
      });
    },
  },
};

/** Answers questions whose address, if they have one, may come in. */
async function eachFrom(
  questions: readonly Question[],
  asking: Asking,
  answer: (question: Question) => Promise<Answer>,
): Promise<Answer[]> {
  const from = questions.filter(({ address }) => address !== '');
  const arriving = await asking.ask(from.map((question) => ({ ...question, kind: 'ip', trafficType: 'agent' })));
  return inOrder(asking, questions, (question) => {
    const arrival = arriving[from.indexOf(question)];
    return arrival?.outcome === 'refused' || arrival?.isTooMuch === true ? arrival : answer(question);
  });
}

/** What the statements about one host take, in microseconds. */
const statementsCost = 500;

const answered = (outcome: Outcome, reason: string): Answer => ({ outcome, logged: null, reason });

/** Answers whether a host may renew one of its certificates, now or later. */
async function answerRenewal(view: AccountView, { hostName }: Question, { effort }: Asking): Promise<Answer> {
  const { rows, deciding } = view;
  effort.spend(statementsCost);
  const named = await rows.pick('SshHostCertificateName', ['sshHostCertificateId'], 'name', [hostName]);
  const ids = named.map(({ sshHostCertificateId }) => sshHostCertificateId);
  const columns = ['sshCertificateAuthorityId', 'validAfter', 'validUntil', 'replacedById'] as const;
  const certificates = (await rows.pick('SshHostCertificate', columns, 'id', ids)).filter(
    ({ replacedById }) => replacedById === null,
  );
  if (certificates.length === 0) return answered('refused', `No host certificate has the name ${hostName}.`);
  const renewable = certificates.filter(
    (one) => !isTooShort(one) && view.now() < renewableUntil(one, deciding.renewalGraceDays),
  );
  if (renewable.length === 0) {
    const last = Math.max(...certificates.map(({ validUntil }) => validUntil.getTime()));
    const end = formatTimestamp(new Date(last));
    return answered(
      'refused',
      `The host certificates with the name ${hostName} have ended, the last at ${end}, or are too short-lived.`,
    );
  }
  const authorities = await signing(
    view,
    renewable.map(({ sshCertificateAuthorityId: id }) => id),
  );
  return authorities.size === 0
    ? answered('refused', 'The certificate authority has retired.')
    : answered('allowed', `A host certificate with the name ${hostName} can be renewed.`);
}

/** What reading a token and comparing a name with a pattern take, in microseconds. */
const tokenCost = 10;
const patternCost = 0.5;

/** Most tokens that are looked at: more than an account keeps, because they end. */
const tokensMax = 1_000;

const tokenColumns = ['id', 'sshCertificateAuthorityId', 'principals', 'uses', 'maxUses', 'expiresAt'] as const;

interface Token {
  readonly sshCertificateAuthorityId: string;
  readonly patterns: readonly string[];
}

/** Reads the tokens that can still be used. */
async function readTokens(view: AccountView, { effort }: Asking): Promise<Token[]> {
  const newest = { equal: {}, lessThan: undefined, greaterThan: undefined, ascending: false, take: tokensMax };
  const stored = await view.rows.pickRange('SshEnrollmentToken', tokenColumns, newest);
  effort.spend(stored.length * tokenCost);
  const inForce = stored.filter(({ uses, maxUses, expiresAt }) => uses < maxUses && expiresAt > view.now());
  return inForce.map(({ sshCertificateAuthorityId, principals }) => ({
    sshCertificateAuthorityId,
    patterns: readTextList(principals),
  }));
}

/** Answers whether a token lets a host enroll under a name. */
async function answerEnrollment(
  view: AccountView,
  { hostName, sshCertificateAuthorityId }: Question,
  tokens: readonly Token[],
  { effort }: Asking,
): Promise<Answer> {
  effort.spend(statementsCost + tokens.reduce((sum, { patterns }) => sum + patterns.length, 0) * patternCost);
  const allowing = tokens.filter(
    ({ sshCertificateAuthorityId: authorityId, patterns }) =>
      (sshCertificateAuthorityId === null || authorityId === sshCertificateAuthorityId) &&
      patterns.some((pattern) => allows(pattern, hostName)),
  );
  const authorities = await signing(
    view,
    allowing.map((token) => token.sshCertificateAuthorityId),
  );
  return authorities.size === 0
    ? answered('refused', `No enrollment token in force allows ${hostName}.`)
    : answered('allowed', `An enrollment token in force allows ${hostName}.`);
}

/** Returns the authorities that exist and have a key, or whose successors sign for them. */
async function signing({ rows }: AccountView, ids: readonly string[]): Promise<Set<string>> {
  const columns = ['id', 'retiredAt', 'successorId'] as const;
  const found = await rows.pick('SshCertificateAuthority', columns, 'id', [...new Set(ids)]);
  return new Set(
    found.flatMap(({ id, retiredAt, successorId }) => (retiredAt === null || successorId !== null ? id : [])),
  );
}
