// Exports whom IP restrictions and the IP restriction modules of routes let pass, for Caddy. Pure.

import { isExact, mostExactFirst } from '../gate/proxy-paths.ts';
import { comparableMatch } from '../gate/url.ts';
import { type AddressSet, isEmpty, isEverybody, rangesOf } from '../ip/address-set.ts';
import { commentsOnDoors, type DoorsOfEdge, whatIsGuarded } from './doors.ts';
import { type AllowedAddresses, commentsOn } from './endpoints.ts';
import { type GeneratedFile, generatedFile } from './generated-file.ts';

/** Creates a Caddy file that refuses addresses which may not pass, for an HTTPS edge also by the modules of its routes. */
export function caddyFiles(allowed: AllowedAddresses, edge: DoorsOfEdge | null): GeneratedFile[] {
  return [
    generatedFile('sallyport.caddy', `Caddy, ${whatIsGuarded(allowed, edge)}`, [
      ...commentsOn(allowed),
      ...(edge === null ? [] : commentsOnDoors(edge)),
      '# Import it first in a "route" block of a site, which keeps the order of what is in it.',
      ...(isEverybody(allowed.set) ? [] : refusal('endpoints', outside(allowed.set))),
      ...(edge === null ? [] : routeLines(edge)),
    ]),
  ];
}

/** Notes the route of a request in a variable, the most exact last, which overwrites the others; then asks what that route allows. */
function routeLines({ doors }: DoorsOfEdge): string[] {
  const sorted = mostExactFirst(doors);
  return [
    'vars sallyport_route none',
    ...sorted
      .toReversed()
      .flatMap((door) => [
        `@path_${door.routeId} path_regexp \`^${pattern(comparableMatch(door.match))}${isExact(door) ? '$' : ''}\``,
        `vars @path_${door.routeId} sallyport_route ${door.routeId}`,
      ]),
    // A path without a route, as at the gate.
    ...refusal('no_route', ['vars {http.vars.sallyport_route} none']),
    ...sorted.flatMap(({ routeId, set }) =>
      isEverybody(set) ? [] : refusal(routeId, [`vars {http.vars.sallyport_route} ${routeId}`, ...outside(set)]),
    ),
  ];
}

function refusal(name: string, conditions: readonly string[]): string[] {
  if (conditions.length === 0) return ['respond 403'];
  return [
    `@refused_${name} {`,
    ...conditions.map((condition) => `\t${condition}`),
    '}',
    `respond @refused_${name} 403`,
  ];
}

/** Returns the condition that an address is not in a set; none if the set is empty. */
function outside(set: AddressSet): string[] {
  return isEmpty(set) ? [] : [`not remote_ip ${[...rangesOf(set, 'ipv4'), ...rangesOf(set, 'ipv6')].join(' ')}`];
}

/** Returns a regular expression that matches a text, without any character of ASCII that Caddy could interpret. */
function pattern(text: string): string {
  return text.replace(
    // Others than these stand for themselves.
    /[^\w/\u0080-\u{10ffff}-]/gu,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}
