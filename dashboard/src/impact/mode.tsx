import type { IpRestrictionType } from '../client/types.generated.ts';
import { Badge } from '../kit/badge.tsx';
import { isObeyed } from './words.ts';

/** Badge that says whether a restriction refuses or only warns, or that nothing obeys it. */
export function Mode({ type, enforced }: { type: IpRestrictionType | undefined; enforced: boolean }) {
  if (type !== undefined && !isObeyed(type)) return <Badge>Not enforced</Badge>;
  return enforced ? <Badge tone="good">Enforced</Badge> : <Badge tone="caution">Only warns</Badge>;
}
