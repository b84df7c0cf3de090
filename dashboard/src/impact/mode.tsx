import { Badge } from '../kit/badge.tsx';

/** Badge that says whether a restriction refuses or only warns. */
export function Mode({ enforced }: { enforced: boolean }) {
  return enforced ? <Badge tone="good">Enforced</Badge> : <Badge tone="caution">Only warns</Badge>;
}
