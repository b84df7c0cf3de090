// Whom the IP restrictions of type `endpoints` let pass, written for nginx and nftables. Pure.

import { type AddressSet, intervalsOf, isEmpty, isEverybody, rangesOf } from '../address-set.ts';
import { type GeneratedFile, generatedFile } from './generated-file.ts';

/** Whom the enforced restrictions of an account let pass. */
export interface AllowedAddresses {
  readonly accountId: string;
  /** Ids of the restrictions that count: the enforced ones. */
  readonly enforced: readonly string[];
  /** Ids of those that do not, because they only warn. */
  readonly leftOut: readonly string[];
  readonly set: AddressSet;
}

/** Writes nginx files: a `geo` variable that is 1 for those who may pass and 0 for others, and a list for the access module. */
export function nginxFiles(allowed: AllowedAddresses): GeneratedFile[] {
  const { accountId, set } = allowed;
  const comments = commentsOn(allowed);
  const ranges = [...rangesOf(set, 'ipv4'), ...rangesOf(set, 'ipv6')];
  const everybody = isEverybody(set);
  const geo = everybody ? ['    default 1;'] : ['    default 0;', ...ranges.map((range) => `    ${range} 1;`)];
  const access = everybody ? ['allow all;'] : [...ranges.map((range) => `allow ${range};`), 'deny all;'];
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

/** Writes an nftables file that closes ports to those who may not pass. Loading it replaces an earlier one atomically. */
export function nftablesFiles(allowed: AllowedAddresses, ports: readonly number[]): GeneratedFile[] {
  const { accountId, set } = allowed;
  const setOf = (name: string, type: string, elements: readonly string[]) => [
    `    set ${name} {`,
    `        type ${type}`,
    '        flags interval',
    // An empty list of elements is a mistake to nft, and an empty set is not.
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

/** Says in comments what counts. Descriptions are the users' own text, and in no generated file. */
export function commentsOn({ enforced, leftOut, set }: AllowedAddresses): string[] {
  return [
    enforced.length === 0
      ? '# No IP restriction of type endpoints is enforced: everybody is allowed.'
      : `# Enforced: ${enforced.join(', ')}.`,
    ...(isEmpty(set) ? ['# Nobody is allowed.'] : []),
    ...(leftOut.length === 0 ? [] : [`# Left out, because they only warn: ${leftOut.join(', ')}.`]),
  ];
}
