// Which addresses the server connects to when it follows somebody's URL or name: public ones, and those that the operator allows.
// Pure.

import ipaddr from 'ipaddr.js';
import { type Address, contains, type Range } from '../domain/ip/cidr.ts';

/** What is assigned to hosts on the internet (RFC 4291, section 2.4, and the registry of IANA); all else of IPv6 is for other uses. */
const globalUnicast: Range = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * Returns whether the server may connect to an address: to public ones, and to those in the networks that the operator allows.
 * Loopback, private, link-local, shared (CGNAT), multicast, unspecified and reserved addresses are not public, nor are the IPv6
 * forms that lead to an IPv4 address (mapped, NAT64, 6to4, Teredo): who controls a name may send them to any network behind us.
 */
export function mayConnect(address: Address, allowed: readonly Range[]): boolean {
  if (allowed.some((network) => contains(network, address))) return true;
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || contains(globalUnicast, address);
}
