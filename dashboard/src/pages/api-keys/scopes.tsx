// Scopes as badges.

import { Badge } from '../../kit/badge.tsx';
import { sayScope } from './rights.ts';

/** What a key may do. The strongest is marked. */
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
