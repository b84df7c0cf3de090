// Exports whom IP restrictions and the IP restriction modules of routes let pass, for nginx. Pure.

import { isExact, mostExactFirst } from '../gate/proxy-paths.ts';
import { comparableMatch } from '../gate/url.ts';
import { type AddressSet, isEverybody, rangesOf } from '../ip/address-set.ts';
import { commentsOnDoors, type Door, type DoorsOfEdge, whatIsGuarded } from './doors.ts';
import { type AllowedAddresses, commentsOn } from './endpoints.ts';
import { type GeneratedFile, generatedFile } from './generated-file.ts';

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

/**
 * Creates nginx files: a `geo` variable that is 1 for allowed addresses and 0 for others, and a list for the access module; for an
 * HTTPS edge also a variable for the modules of its routes.
 */
export function nginxFiles(allowed: AllowedAddresses, edge: DoorsOfEdge | null): GeneratedFile[] {
  const { set } = allowed;
  const what = `nginx, ${whatIsGuarded(allowed, edge)}`;
  const comments = commentsOn(allowed);
  const ranges = [...rangesOf(set, 'ipv4'), ...rangesOf(set, 'ipv6')];
  const access = isEverybody(set)
    ? ['allow all;']
    : [...ranges.filter((range) => range !== broadcast).map((range) => `allow ${range};`), 'deny all;'];
  return [
    generatedFile('sallyport-geo.conf', what, [
      ...comments,
      '# Include it in "http", and refuse in a server: if ($sallyport_allowed = 0) { return 403; }',
      ...geoLines('sallyport_allowed', set),
    ]),
    generatedFile('sallyport-access.conf', what, [
      ...comments,
      '# Include it in "http", "stream", or a server or location of them.',
      ...access,
    ]),
    ...(edge === null ? [] : [routesFile(edge, what)]),
  ];
}

/** Creates the file with a variable that is 1 where the route of a request allows the address of its client, and 0 elsewhere. */
function routesFile(edge: DoorsOfEdge, what: string): GeneratedFile {
  const variable = `sallyport_${edge.edgeId}`;
  const of = ({ routeId }: Door) => `sallyport_${routeId}`;
  const doors = mostExactFirst(edge.doors);
  return generatedFile('sallyport-routes.conf', what, [
    ...commentsOnDoors(edge),
    `# Include it in "http", and refuse in the servers of the edge, too: if ($${variable} = 0) { return 403; }`,
    ...doors.flatMap((door) => geoLines(of(door), door.set)),
    `map $uri $${variable} {`,
    '    default 0;',
    ...doors.map(
      (door) => `    "~^${bytePattern(comparableMatch(door.match))}${isExact(door) ? '\\z' : ''}" $${of(door)};`,
    ),
    '}',
  ]);
}

/** Returns a regular expression that matches a text byte by byte, without any character that a configuration could interpret. */
function bytePattern(text: string): string {
  return text.replace(/[^\w/-]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''),
  );
}

function geoLines(variable: string, set: AddressSet): string[] {
  const ranges = [...rangesOf(set, 'ipv4'), ...rangesOf(set, 'ipv6')].flatMap((range) => inGeo[range] ?? range);
  const entries = isEverybody(set) ? ['default 1;'] : ['default 0;', ...ranges.map((range) => `${range} 1;`)];
  return [`geo $${variable} {`, ...entries.map((entry) => `    ${entry}`), '}'];
}
