// Exports whom IP restrictions and the IP restriction modules of an edge let pass, for nftables. Pure.

import { intersection, intervalsOf, union } from '../ip/address-set.ts';
import { commentsOnDoors, type DoorsOfEdge, whatIsGuarded } from './doors.ts';
import { type AllowedAddresses, commentsOn } from './endpoints.ts';
import { type GeneratedFile, generatedFile } from './generated-file.ts';

/**
 * Creates an nftables file that closes ports to addresses that may not pass; with an edge, also to those that none of its doors allows.
 * Loading it atomically replaces an earlier one.
 */
export function nftablesFiles(
  allowed: AllowedAddresses,
  edge: DoorsOfEdge | null,
  ports: readonly number[],
): GeneratedFile[] {
  const set = edge === null ? allowed.set : intersection(allowed.set, union(edge.doors.map((door) => door.set)));
  const setOf = (name: string, type: string, elements: readonly string[]) => [
    `    set ${name} {`,
    `        type ${type}`,
    '        flags interval',
    // nft rejects an empty list of elements, but accepts a set without one.
    ...(elements.length === 0 ? [] : [`        elements = { ${elements.join(', ')} }`]),
    '    }',
  ];
  return [
    generatedFile('sallyport.nft', `nftables, ${whatIsGuarded(allowed, edge)}`, [
      ...commentsOn(allowed),
      ...(edge === null ? [] : commentsOnDoors(edge)),
      ...(edge === null || edge.doors.length < 2
        ? []
        : [
            '# It sees no paths: whoever any of the routes allows may connect. nginx, Caddy or the gate tell them apart.',
          ]),
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
