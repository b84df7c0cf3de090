// Hosts and ports that an edge answers on. Pure.

import { invalid } from './errors.ts';

/** Checks a list of `host:port`, and gives it back. Throws INVALID_INPUT for an entry of another form. */
export function checkHostports(hostports: readonly string[]): string[] {
  const wrong = hostports.findIndex((hostport) => !/^[^\s:]+:\d{1,5}$/.test(hostport));
  if (wrong !== -1) throw invalid(`hostports[${wrong}]`, 'must be a host and a port, such as example.com:443.');
  return [...hostports];
}
