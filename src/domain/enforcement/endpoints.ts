// Exports the addresses that IP restrictions of type `endpoints` let pass, for nginx and nftables. Pure.

import { type AddressSet, intervalsOf, isEmpty, isEverybody, rangesOf } from '../ip/address-set.ts';
import { endlessMs } from '../ip/rule-end.ts';
import { formatTimestamp } from '../values/time.ts';
import { type GeneratedFile, generatedFile } from './generated-file.ts';

/** The addresses that the enforced restrictions of an account let pass. */
export interface AllowedAddresses {
  readonly accountId: string;
  /** Ids of the enforced restrictions, on which `set` is based. */
  readonly enforced: readonly string[];
  /** Ids of the restrictions left out because they only warn. */
  readonly leftOut: readonly string[];
  readonly set: AddressSet;
  /** When the first of the rules ends, which may change `set`, in milliseconds since 1970; `endlessMs` if none does. */
  readonly validUntilMs: number;
}

/**
 * The range of the limited broadcast address, which nginx takes for text that is no address: `geo` knows only the bare address, and
 * the access module none at all. No client has it (RFC 919, section 7), so a list of clients loses nothing without it.
 */
const broadcast = '255.255.255.255/32';

/** How `geo` is told ranges that it takes for text, or warns of as "duplicate", because they are what its `default` is for. */
const inGeo: Readonly<Record<string, readonly string[]>> = {
  [broadcast]: ['255.255.255.255'],
  '0.0.0.0/0': ['0.0.0.0/1', '128.0.0.0/1'],
  '::/0': ['::/1', '8000::/1'],
};

/** Creates nginx files: a `geo` variable that is 1 for allowed addresses and 0 for others, and a list for the access module. */
export function nginxFiles(allowed: AllowedAddresses): GeneratedFile[] {
  const { accountId, set } = allowed;
  const comments = commentsOn(allowed);
  const ranges = [...rangesOf(set, 'ipv4'), ...rangesOf(set, 'ipv6')];
  const everybody = isEverybody(set);
  const geo = everybody
    ? ['    default 1;']
    : ['    default 0;', ...ranges.flatMap((range) => inGeo[range] ?? range).map((range) => `    ${range} 1;`)];
  const access = everybody
    ? ['allow all;']
    : [...ranges.filter((range) => range !== broadcast).map((range) => `allow ${range};`), 'deny all;'];
  return [
    generatedFile('sallyport-geo.conf', `nginx, who may reach the endpoints of ${accountId}`, [
      ...comments,
      '# Include it in "http", and refuse in a server: if ($sallyport_allowed = 0) { return 403; }',
      'geo $sallyport_allowed {',
      ...geo,
      '}',
    ]),
    generatedFile('sallyport-access.conf', `nginx, who may reach the endpoints of ${accountId}`, [
      ...comments,
      '# Include it in "http", "stream", or a server or location of them.',
      ...access,
    ]),
  ];
}

/** Creates an nftables file that closes ports to addresses that may not pass. Loading it atomically replaces an earlier one. */
export function nftablesFiles(allowed: AllowedAddresses, ports: readonly number[]): GeneratedFile[] {
  const { accountId, set } = allowed;
  const setOf = (name: string, type: string, elements: readonly string[]) => [
    `    set ${name} {`,
    `        type ${type}`,
    '        flags interval',
    // nft rejects an empty list of elements, but accepts a set without one.
    ...(elements.length === 0 ? [] : [`        elements = { ${elements.join(', ')} }`]),
    '    }',
  ];
  return [
    generatedFile('sallyport.nft', `nftables, who may reach the endpoints of ${accountId}`, [
      ...commentsOn(allowed),
      '# Load it with "nft -f". Traffic that is forwarded, such as to containers, does not pass this chain.',
      'table inet sallyport',
      'delete table inet sallyport',
      'table inet sallyport {',
      ...setOf('allowed4', 'ipv4_addr', intervalsOf(set, 'ipv4')),
      ...setOf('allowed6', 'ipv6_addr', intervalsOf(set, 'ipv6')),
      '    chain endpoints {',
      '        type filter hook input priority filter; policy accept;',
      `        meta l4proto { tcp, udp } th dport { ${ports.join(', ')} } jump restrict`,
      '    }',
      '    chain restrict {',
      '        ip saddr @allowed4 return',
      '        ip6 saddr @allowed6 return',
      '        drop',
      '    }',
      '}',
    ]),
  ];
}

/** Creates comment lines that say which restrictions count, and until when. Never includes descriptions, which are users' own text. */
export function commentsOn({ enforced, leftOut, set, validUntilMs }: AllowedAddresses): string[] {
  return [
    enforced.length === 0
      ? '# No IP restriction of type endpoints is enforced: everybody is allowed.'
      : `# Enforced: ${enforced.join(', ')}.`,
    ...(isEmpty(set) ? ['# Nobody is allowed.'] : []),
    ...(validUntilMs === endlessMs
      ? []
      : [`# True until ${formatTimestamp(new Date(validUntilMs))}, when a rule ends: write it again then.`]),
    ...(leftOut.length === 0 ? [] : [`# Left out, because they only warn: ${leftOut.join(', ')}.`]),
  ];
}
