// Labels in lists. The server returns them as a JSON object with string values.

import { Badge } from '../../kit/badge.tsx';

/** Returns the labels of an answer, with their type. */
export const labelsOf = (labels: unknown): Record<string, string> => labels as Record<string, string>;

export const labelsHint = 'Which tunnels the backend groups. Only stored: Sallyport manages no tunnels.';

/** Labels as badges. */
export function Labels({ labels }: { labels: unknown }) {
  const pairs = Object.entries(labelsOf(labels));
  if (pairs.length === 0) return <span className="muted">none: groups no tunnels</span>;
  return (
    <span className="row">
      {pairs.map(([key, value]) => (
        <Badge key={key}>
          {key}={value}
        </Badge>
      ))}
    </span>
  );
}
