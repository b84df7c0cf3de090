// The IP restrictions of types `api`, `dashboard` and `agent`, which guard both surfaces, dashboard sessions, and what programs on
// hosts ask for. They are the first decision about a request once its account is known.

import { SallyportError } from '../domain/errors.ts';
import type { Objections } from '../domain/gate/decide.ts';
import type { OwnTraffic } from '../domain/ip/own-traffic.ts';
import { remedies } from '../domain/remedies.ts';
import { listed, restrictionNamesFor } from '../domain/wording.ts';
import type { Caller, Reply } from './request.ts';

/** The header that names the restrictions that would refuse the request if they were enforced. */
export const wouldRefuseHeader = 'Sallyport-Would-Refuse';

const namedMax = 10;

/**
 * Refuses a request to which an enforced restriction objects. If others only warn, the answer names them in a header. The log and
 * the metrics record both. A program on a host learns only that it is refused. Others learn which restrictions they are, and what
 * the operator can do; and their names only with the right to read them.
 *
 * @throws IP_RESTRICTED
 */
export function refuseBy(
  reply: Reply,
  { accountId, address, rights }: Pick<Caller, 'accountId' | 'address' | 'rights'>,
  traffic: OwnTraffic,
  { refusedBy, wouldRefuse }: Objections,
): void {
  if (refusedBy.length === 0 && wouldRefuse.length === 0) return;
  const [refusing, warning] = [idsOf(refusedBy), idsOf(wouldRefuse)];
  reply.locals.trace.ipRestrictions = {
    address: address?.toString() ?? null,
    refusedBy: refusing,
    wouldRefuse: warning,
  };
  if (warning.length > 0 && !reply.headersSent) {
    reply.setHeader(wouldRefuseHeader, warning.slice(0, namedMax).join(', '));
  }
  if (refusing.length > 0) {
    const from = address === null ? 'an address that the proxy does not tell' : address.toString();
    const problem = `IP restrictions of the account refuse requests from ${from}`;
    const named = listed(refusedBy, restrictionNamesFor(rights));
    if (traffic === 'agent') throw new SallyportError('IP_RESTRICTED', `${problem}.`);
    const command = remedies.suspendRestrictions(accountId);
    const message = `${problem}: ${named}. Who runs the server can suspend them: ${command}`;
    throw new SallyportError('IP_RESTRICTED', message, { command });
  }
}

function idsOf(restrictions: readonly { readonly id: string }[]): string[] {
  return restrictions.map(({ id }) => id);
}
