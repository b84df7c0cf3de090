// Names of SSH objects, and data that several SSH pages share.

import { type Reading, useData } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import type { SshCertificateAuthorityState, SshKeyType } from '../../client/types.generated.ts';
import type { Tone } from '../../kit/notice.tsx';
import {
  SshAccountFilesDocument,
  SshAuthorityNamesDocument,
  type SshAuthorityNamesQuery,
} from './authorities.generated.ts';

/** An authority, as read for options and links. */
export type AuthorityName = NonNullable<SshAuthorityNamesQuery['sshCertificateAuthorities']>['nodes'][number];

export const keyTypes: Readonly<Record<SshKeyType, string>> = { ed25519: 'Ed25519', ecdsa: 'ECDSA', rsa: 'RSA' };

/** Titles and tones of the states of an authority. */
export const states: Readonly<Record<SshCertificateAuthorityState, { readonly title: string; readonly tone: Tone }>> = {
  active: { title: 'Active', tone: 'good' },
  successor_announced: { title: 'Successor announced', tone: 'accent' },
  handed_over: { title: 'Handed over', tone: 'caution' },
  retired: { title: 'Retired', tone: 'neutral' },
};

/** Reads the authorities of the account, at most 100, which is more than have ever been seen. */
function useAuthorityNames(): Reading<readonly AuthorityName[]> {
  const reading = useData(SshAuthorityNamesDocument, {}, ['SshCertificateAuthority']);
  return { ...reading, data: reading.data?.sshCertificateAuthorities?.nodes };
}

/** Returns the authorities of the account. Undefined until they are read. */
export const useAuthorities = (): readonly AuthorityName[] | undefined => useAuthorityNames().data;

/** Returns whether an authority signs. */
export const signs = ({ state }: Pick<AuthorityName, 'state'>): boolean =>
  state === 'active' || state === 'successor_announced';

/** Returns whether an authority is the announced successor of another one. Clients may not trust it yet. */
const isAnnounced = ({ id }: AuthorityName, all: readonly AuthorityName[]): boolean =>
  all.some(({ successorId, state }) => successorId === id && state === 'successor_announced');

/** An authority as an option. */
export type Signer = { readonly value: string; readonly title: string };

/** Reads the authorities that sign, as options: the oldest first, announced successors last. */
export function useSigners(): Reading<readonly Signer[]> {
  const reading = useAuthorityNames();
  return { ...reading, data: reading.data && signersAmong(reading.data) };
}

function signersAmong(all: readonly AuthorityName[]): Signer[] {
  const signing = all.filter(signs).reverse();
  const announced = signing.filter((each) => isAnnounced(each, all));
  return [
    ...signing.filter((each) => !announced.includes(each)).map((each) => ({ value: each.id, title: nameOf(each) })),
    ...announced.map((each) => ({ value: each.id, title: `${nameOf(each)} (announced, not yet in use)` })),
  ];
}

/** Returns the URLs of the account's public files, and the service address for hosts and clients. Undefined until they are read. */
export function useAccountFiles():
  | {
      readonly knownHostsUrl: string;
      readonly revocationListUrl: string;
      readonly service: string;
      readonly account: string;
    }
  | undefined {
  const account = useData(SshAccountFilesDocument, {}, []).data?.viewer?.account;
  if (!account) return undefined;
  const { sshKnownHostsUrl, sshRevocationListUrl, id } = account;
  const service = sshKnownHostsUrl.replace(/\/ssh\/known_hosts\/.*$/, '');
  return { knownHostsUrl: sshKnownHostsUrl, revocationListUrl: sshRevocationListUrl, service, account: id };
}
