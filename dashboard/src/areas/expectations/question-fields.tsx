// The fields of a question.

import type { Problem } from '../../client/problem.ts';
import { useCan } from '../../client/rights.ts';
import type { ExpectationKind, ExpectedOutcome, IpRestrictionType } from '../../client/types.generated.ts';
import { expectedTitles } from '../../expectations/words.ts';
import { restrictionTypes } from '../../impact/words.ts';
import { ChoiceField } from '../../kit/choice-field.tsx';
import { Checkbox, LinesField, SelectField, TextField } from '../../kit/fields.tsx';
import { errorOf, lineErrorOf } from '../../kit/form.tsx';
import { laterAbove } from '../../kit/later.tsx';
import { useObjectNameById } from '../../trail/events.ts';

// Loaded on demand, as other choosers are.
const choosers = () => import('./choose-object.tsx');
const ChooseHttpsEdge = laterAbove(async () => ({ default: (await choosers()).ChooseHttpsEdge }));
const ChooseTlsEdge = laterAbove(async () => ({ default: (await choosers()).ChooseTlsEdge }));
const ChooseAuthority = laterAbove(async () => ({ default: (await choosers()).ChooseAuthority }));

/** What a form holds of a question. */
export interface QuestionDraft {
  readonly expected: ExpectedOutcome;
  readonly address: string;
  readonly trafficType: IpRestrictionType;
  readonly httpsEdgeId: string;
  readonly url: string;
  readonly method: string;
  readonly signedIn: boolean;
  readonly groups: readonly string[];
  readonly tlsEdgeId: string;
  readonly serverName: string;
  readonly logged: boolean | null;
  readonly hostName: string;
  readonly sshCertificateAuthorityId: string | null;
}

export const emptyQuestion: QuestionDraft = {
  expected: 'allowed',
  address: '',
  trafficType: 'endpoints',
  httpsEdgeId: '',
  url: '',
  method: 'GET',
  signedIn: false,
  groups: [],
  tlsEdgeId: '',
  serverName: '',
  logged: null,
  hostName: '',
  sshCertificateAuthorityId: null,
};

const fieldsOf: Readonly<Record<ExpectationKind, readonly (keyof QuestionDraft)[]>> = {
  ip: ['address', 'trafficType'],
  gate: ['address', 'httpsEdgeId', 'url', 'method', 'signedIn', 'groups'],
  tls: ['address', 'tlsEdgeId', 'serverName', 'logged'],
  renewal: ['hostName', 'address'],
  enrollment: ['hostName', 'address', 'sshCertificateAuthorityId'],
};

const loggedChoices = [
  { value: 'either', title: 'does not matter', logged: null },
  { value: 'logged', title: 'must be logged', logged: true },
  { value: 'silent', title: 'must not be logged', logged: false },
] as const;

/** Returns the part of a draft that its kind asks. */
export function askedOf<D extends Partial<QuestionDraft>>(kind: ExpectationKind, draft: D): Partial<D> {
  const names: readonly string[] = ['expected', ...fieldsOf[kind]];
  // A part of the same draft.
  return Object.fromEntries(Object.entries(draft).filter(([name]) => names.includes(name))) as Partial<D>;
}

/** Fields for what is asked, and what is expected. */
export function QuestionFields({
  kind,
  value,
  onChange,
  problem,
  isDisabled = false,
}: {
  kind: ExpectationKind;
  value: QuestionDraft;
  onChange: (change: Partial<QuestionDraft>) => void;
  problem: Problem | null;
  isDisabled?: boolean;
}) {
  const has = (name: keyof QuestionDraft) => fieldsOf[kind].includes(name);
  const { httpsEdgeId, tlsEdgeId, sshCertificateAuthorityId } = value;
  const nameById = useObjectNameById([httpsEdgeId, tlsEdgeId, sshCertificateAuthorityId ?? '']);
  const mayList = {
    httpsEdgeId: useCan('https-edges:read'),
    tlsEdgeId: useCan('tls-edges:read'),
    sshCertificateAuthorityId: useCan('ssh:read'),
  };
  const choice = (name: keyof typeof mayList, label: string, any: string, Choose: typeof ChooseTlsEdge) => {
    if (!has(name)) return null;
    const isRequired = name !== 'sshCertificateAuthorityId';
    const change = (id: string) => onChange({ [name]: id.trim() === '' && !isRequired ? null : id });
    const given = { label, value: value[name] ?? '', onChange: change, error: errorOf(problem, name), isDisabled };
    return mayList[name] ? (
      <ChoiceField {...given} any={any} name={nameById(given.value)} Choose={Choose} isRequired={isRequired} />
    ) : (
      <TextField {...given} mono hint="Its identifier. Your key may not list them." />
    );
  };
  const text = (name: 'address' | 'url' | 'method' | 'serverName' | 'hostName', label: string, hint: string) =>
    has(name) && (
      <TextField
        label={label}
        mono
        value={value[name]}
        onChange={(given) => onChange({ [name]: given })}
        hint={hint}
        error={errorOf(problem, name)}
        isDisabled={isDisabled}
      />
    );
  return (
    <>
      {text('hostName', 'Host', 'Its name, such as db1.example.com.')}
      {text(
        'address',
        'Address',
        kind === 'ip' ? 'An address, or a range such as 10.0.0.0/8.' : 'Where the client comes from.',
      )}
      {has('trafficType') && (
        <SelectField
          label="Traffic"
          value={value.trafficType}
          options={restrictionTypes}
          onChange={(trafficType) => onChange({ trafficType })}
          error={errorOf(problem, 'trafficType')}
          isDisabled={isDisabled}
        />
      )}
      {choice('httpsEdgeId', 'HTTPS edge', 'Choose an edge', ChooseHttpsEdge)}
      {choice('tlsEdgeId', 'TLS edge', 'Choose an edge', ChooseTlsEdge)}
      {text('url', 'URL', 'As the client asks for it, such as https://app.example.com/admin.')}
      {text('method', 'Method', 'GET, POST, …')}
      {text('serverName', 'Server name', 'The requested name (SNI); empty for none.')}
      {choice('sshCertificateAuthorityId', 'Certificate authority', 'The tokens of all', ChooseAuthority)}
      {has('signedIn') && (
        <Checkbox
          label="The user has logged in"
          value={value.signedIn}
          onChange={(signedIn) => onChange({ signedIn, ...(signedIn ? {} : { groups: [] }) })}
          isDisabled={isDisabled}
        />
      )}
      {has('groups') && value.signedIn && (
        <LinesField
          label="Groups"
          value={value.groups}
          onChange={(groups) => onChange({ groups })}
          hint="The groups of the user, one on each line."
          error={lineErrorOf(problem, 'groups', value.groups)}
          isDisabled={isDisabled}
        />
      )}
      <SelectField
        label="Must be"
        value={value.expected}
        options={expectedTitles(kind)}
        onChange={(expected) => onChange({ expected })}
        error={errorOf(problem, 'expected')}
        isDisabled={isDisabled}
      />
      {has('logged') && (
        <SelectField
          label="In the log"
          value={loggedChoices.find(({ logged }) => logged === value.logged)?.value ?? 'either'}
          options={loggedChoices}
          onChange={(chosen) => {
            const choice = loggedChoices.find(({ value: one }) => one === chosen);
            onChange({ logged: choice?.logged ?? null });
          }}
          error={errorOf(problem, 'logged')}
          isDisabled={isDisabled}
        />
      )}
    </>
  );
}
