// What the objects of SSH are called on its pages.

import { useData } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import type { SshCertificateAuthorityState, SshKeyType } from '../../client/types.generated.ts';
import type { Tone } from '../../kit/notice.tsx';
import {
  SshAccountFilesDocument,
  SshAuthorityNamesDocument,
  type SshAuthorityNamesQuery,
} from './authorities.generated.ts';

/** An authority as one among others. */
export type AuthorityName = NonNullable<SshAuthorityNamesQuery['sshCertificateAuthorities']>['nodes'][number];

export const keyTypes: Readonly<Record<SshKeyType, string>> = { ed25519: 'Ed25519', ecdsa: 'ECDSA', rsa: 'RSA' };

/** The states of an authority, as they are said. */
export const states: Readonly<Record<SshCertificateAuthorityState, { readonly title: string; readonly tone: Tone }>> = {
  active: { title: 'Active', tone: 'good' },
  successor_announced: { title: 'Successor announced', tone: 'accent' },
  handed_over: { title: 'Handed over', tone: 'caution' },
  retired: { title: 'Retired', tone: 'neutral' },
};

/** The authorities of the account; undefined until they are read. At most 100: more than have ever been seen. */
export function useAuthorities(): readonly AuthorityName[] | undefined {
  return useData(SshAuthorityNamesDocument, {}, ['SshCertificateAuthority']).data?.sshCertificateAuthorities?.nodes;
}

/** Tells whether an authority signs. */
export const signs = ({ state }: Pick<AuthorityName, 'state'>): boolean =>
  state === 'active' || state === 'successor_announced';

/** Tells whether an authority is announced to succeed another, whose clients may not trust it yet. */
const isAnnounced = ({ id }: AuthorityName, all: readonly AuthorityName[]): boolean =>
  all.some(({ successorId, state }) => successorId === id && state === 'successor_announced');

/** The authorities that sign, to choose from: the eldest first, and those that clients may not trust yet last; undefined until they are read. */
export function useSigners(): readonly { readonly value: string; readonly title: string }[] | undefined {
  const all = useAuthorities();
  if (all === undefined) return undefined;
  const signing = all.filter(signs).reverse();
  const announced = signing.filter((each) => isAnnounced(each, all));
  return [
    ...signing.filter((each) => !announced.includes(each)).map((each) => ({ value: each.id, title: nameOf(each) })),
    ...announced.map((each) => ({ value: each.id, title: `${nameOf(each)} (announced, not yet in use)` })),
  ];
}

/** The public files of the account, and the address of the service as hosts and clients know it; undefined until they are read. */
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
