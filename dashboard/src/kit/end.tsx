import { Badge } from './badge.tsx';
import { dayMs, Time, useNow } from './time.tsx';

/** When something ends, highlighted if that is soon or in the past. */
export function End({ at, soonMs = 7 * dayMs }: { at: string | null; soonMs?: number }) {
  const now = useNow();
  if (at === null) return <Time value={at} />;
  const left = Date.parse(at) - now;
  if (left > soonMs) return <Time value={at} />;
  return (
    <Badge tone={left > 0 ? 'caution' : 'bad'}>
      {left > 0 ? 'ends' : 'ended'} <Time value={at} />
    </Badge>
  );
}
