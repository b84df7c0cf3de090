// Whether hosts may enroll and renew, as expectations ask it.

import type { Answer, Outcome, Question } from '../../domain/access/expected.ts';
import { addressModels } from '../../domain/ip/address-models.ts';
import { readTextList } from '../../domain/values/decode.ts';
import { groupBy } from '../../domain/values/maps.ts';
import { formatTimestamp } from '../../domain/values/time.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import { type Asking, type DecidedBy, type Deciders, inOrder, writesTo } from '../../storage/objects/deciders.ts';
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
    async decidedBy(view, questions, asking) {
      const names = [...new Set(questions.map(({ hostName }) => hostName))];
      asking.effort.spend(statementsCost);
      const byName = groupBy(await certificatesNamed(view, names), ({ name }) => name);
      return withArrivals(questions, asking, ({ hostName }) =>
        (byName.get(hostName) ?? []).flatMap((one) => [one.id, one.sshCertificateAuthorityId]),
      );
    },
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
    async decidedBy(view, questions, asking) {
      const tokens = await readTokens(view, asking);
      return withArrivals(questions, asking, (question) => {
        asking.effort.spend(matchingCost(tokens));
        // A new token of any authority may decide if none is named.
        return [
          question.sshCertificateAuthorityId ?? 'SshCertificateAuthority',
          ...allowing(tokens, question).map(({ id }) => id),
        ];
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

/** Adds what decides about the addresses of questions, if they have one, to what decides otherwise. */
async function withArrivals(
  questions: readonly Question[],
  { ask, effort }: Asking<DecidedBy>,
  idsOf: (question: Question) => readonly string[],
): Promise<DecidedBy[]> {
  const from = questions.filter(({ address }) => address !== '');
  const arriving = await ask(from.map((question) => ({ ...question, kind: 'ip', trafficType: 'agent' })));
  const found: DecidedBy[] = [];
  for (const question of questions) {
    found.push([...(arriving[from.indexOf(question)] ?? []), new Set(idsOf(question))]);
    await effort.breathe();
  }
  return found;
}

/** What the statements about one host take, in microseconds. */
const statementsCost = 500;

const answered = (outcome: Outcome, reason: string): Answer => ({ outcome, logged: null, reason });

/** Answers whether a host may renew one of its certificates, now or later. */
async function answerRenewal(view: AccountView, { hostName }: Question, { effort }: Asking): Promise<Answer> {
  effort.spend(statementsCost);
  const certificates = await certificatesNamed(view, [hostName]);
  if (certificates.length === 0) return answered('refused', `No host certificate has the name ${hostName}.`);
  const renewable = certificates.filter(
    (one) => !isTooShort(one) && view.now() < renewableUntil(one, view.deciding.renewalGraceDays),
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

/** Reads the certificates with some names, each with its name, that no other has replaced. */
async function certificatesNamed({ rows }: AccountView, names: readonly string[]) {
  const named = await rows.pick('SshHostCertificateName', ['name', 'sshHostCertificateId'], 'name', names);
  const ids = named.map(({ sshHostCertificateId }) => sshHostCertificateId);
  const columns = ['id', 'sshCertificateAuthorityId', 'validAfter', 'validUntil', 'replacedById'] as const;
  const found = await rows.pick('SshHostCertificate', columns, 'id', [...new Set(ids)]);
  const byId = new Map(found.map((one) => [one.id, one]));
  return named.flatMap(({ name, sshHostCertificateId }) => {
    const certificate = byId.get(sshHostCertificateId);
    return certificate?.replacedById === null ? { ...certificate, name } : [];
  });
}

/** What reading a token and comparing a name with a pattern take, in microseconds. */
const tokenCost = 10;
const patternCost = 0.5;

/** Most tokens that are looked at: more than an account keeps, because they end. */
const tokensMax = 1_000;

const tokenColumns = ['id', 'sshCertificateAuthorityId', 'principals', 'uses', 'maxUses', 'expiresAt'] as const;

interface Token {
  readonly id: string;
  readonly sshCertificateAuthorityId: string;
  readonly patterns: readonly string[];
}

/** Reads the tokens that can still be used. */
async function readTokens(view: AccountView, { effort }: Pick<Asking, 'effort'>): Promise<Token[]> {
  const newest = { equal: {}, lessThan: undefined, greaterThan: undefined, ascending: false, take: tokensMax };
  const stored = await view.rows.pickRange('SshEnrollmentToken', tokenColumns, newest);
  effort.spend(stored.length * tokenCost);
  const inForce = stored.filter(({ uses, maxUses, expiresAt }) => uses < maxUses && expiresAt > view.now());
  return inForce.map(({ id, sshCertificateAuthorityId, principals }) => ({
    id,
    sshCertificateAuthorityId,
    patterns: readTextList(principals),
  }));
}

/** Returns what comparing a name with the patterns of tokens takes. */
function matchingCost(tokens: readonly Token[]): number {
  return tokens.reduce((sum, { patterns }) => sum + patterns.length, 0) * patternCost;
}

/** Returns the tokens that let the host enroll that is asked about. */
function allowing(tokens: readonly Token[], { hostName, sshCertificateAuthorityId }: Question): Token[] {
  return tokens.filter(
    ({ sshCertificateAuthorityId: authorityId, patterns }) =>
      (sshCertificateAuthorityId === null || authorityId === sshCertificateAuthorityId) &&
      patterns.some((pattern) => allows(pattern, hostName)),
  );
}

/** Answers whether a token lets a host enroll under a name. */
async function answerEnrollment(
  view: AccountView,
  question: Question,
  tokens: readonly Token[],
  { effort }: Asking,
): Promise<Answer> {
  const { hostName } = question;
  effort.spend(statementsCost + matchingCost(tokens));
  const authorities = await signing(
    view,
    allowing(tokens, question).map((token) => token.sshCertificateAuthorityId),
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
