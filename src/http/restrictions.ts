// The IP restrictions of types `api` and `dashboard`, which guard both surfaces and the sessions of the dashboard: the first thing to be
// decided about a request whose account is known.

import type { Address } from '../domain/cidr.ts';
import { SallyportError } from '../domain/errors.ts';
import type { Reply } from './request.ts';

/** The restrictions that object to an address: the enforced ones, and those that only warn. */
export interface Objections {
  readonly refusedBy: readonly string[];
  readonly wouldRefuse: readonly string[];
}

/** The header that tells which restrictions would refuse the request if they were enforced. */
export const wouldRefuseHeader = 'Sallyport-Would-Refuse';

/** Most restrictions that a header or a message names. */
const namedMax = 10;

/**
 * Turns a request away that an enforced restriction refuses. Where others only warn, the answer says so in a header. The log and
 * the metrics hear of both.
 *
 * @param address null where it is not known
 * @throws IP_RESTRICTED
 */
export function guard(reply: Reply, address: Address | null, { refusedBy, wouldRefuse }: Objections): void {
  if (refusedBy.length === 0 && wouldRefuse.length === 0) return;
  const [refusing, warning] = [refusedBy.slice(0, namedMax), wouldRefuse.slice(0, namedMax)];
  reply.locals.trace.ipRestrictions = { address: address?.toString() ?? null, refusedBy, wouldRefuse };
  if (warning.length > 0 && !reply.headersSent) reply.setHeader(wouldRefuseHeader, warning.join(', '));
  if (refusing.length > 0) {
    const from = address === null ? 'an address that the proxy does not tell' : address.toString();
    throw new SallyportError(
      'IP_RESTRICTED',
      `IP restrictions of the account refuse requests from ${from}: ${refusing.join(', ')}.`,
    );
  }
}
