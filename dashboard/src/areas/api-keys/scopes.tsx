// Scopes as badges.

import { Badge } from '../../kit/badge.tsx';
import { sayScope } from './rights.ts';

/** The scopes of a key. Full write access is highlighted. */
export function Scopes({ scopes }: { scopes: readonly string[] }) {
  return (
    <span className="row">
      {scopes.map((scope) => (
        <span key={scope} title={sayScope(scope)}>
          <Badge tone={scope === 'write' ? 'caution' : 'neutral'}>{scope}</Badge>
        </span>
      ))}
    </span>
  );
}
