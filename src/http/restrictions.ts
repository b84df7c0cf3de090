// The IP restrictions of types `api` and `dashboard`, which guard both surfaces and dashboard sessions. They are the first decision
// about a request once its account is known.

import type { Address } from '../domain/cidr.ts';
import { SallyportError } from '../domain/errors.ts';
import type { Reply } from './request.ts';

/** The restrictions that object to an address: the enforced ones, and those that only warn. */
export interface Objections {
  readonly refusedBy: readonly string[];
  readonly wouldRefuse: readonly string[];
}

/** The header that names the restrictions that would refuse the request if they were enforced. */
export const wouldRefuseHeader = 'Sallyport-Would-Refuse';

/** Most restrictions named in a header or a message. */
const namedMax = 10;

/**
 * Refuses a request to which an enforced restriction objects. If others only warn, the answer names them in a header. The log and
 * the metrics record both.
 *
 * @param address null if unknown
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
