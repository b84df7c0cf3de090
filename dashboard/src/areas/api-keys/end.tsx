import { Badge } from '../../kit/badge.tsx';
import { dayMs, Time, useNow } from '../../kit/time.tsx';

const soonMs = 7 * dayMs;

/** When a key expires, highlighted if that is within a week or in the past. */
export function End({ at }: { at: string | null }) {
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
