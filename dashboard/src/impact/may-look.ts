import { allows, useViewer } from '../client/rights.ts';

/** Returns which parts of an evaluation the key may see. */
export function useMayLook(): {
  readonly withRestrictions: boolean;
  readonly withRoutes: boolean;
  readonly withTlsEdges: boolean;
  readonly withSeen: boolean;
} {
  const { scopes } = useViewer();
  return {
    withRestrictions: allows(scopes, 'ip-restrictions:read'),
    withRoutes: allows(scopes, 'https-edges:read'),
    withTlsEdges: allows(scopes, 'tls-edges:read'),
    withSeen: allows(scopes, 'audit-events:read') && allows(scopes, 'https-edges:read'),
  };
}
