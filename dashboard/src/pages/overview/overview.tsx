// The overview: what needs attention, and how the service is doing.

import { useClock } from '../../client/clock.ts';
import { useData } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import { Notice } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { AttentionPanel } from './attention.tsx';
import { Counts } from './counts.tsx';
import { About, LastHour } from './last-hour.tsx';
import { LatestChanges } from './latest-changes.tsx';
import { ActivityDocument } from './overview.generated.ts';

/** Pseudo-kind for reading again: counters change without an event. */
const clock = 'Activity';
const lookMs = 20_000;

export default function Overview() {
  useClock(clock, lookMs);
  const reading = useData(ActivityDocument, {}, [clock]);
  const service = reading.data?.service;
  const canReadTrail = useCan('audit-events:read');
  return (
    <Page title="Overview" actions={service && <About service={service} />}>
      {service?.problems.map((problem) => (
        <Notice key={problem} tone="bad">
          {problem}
        </Notice>
      ))}
      <AttentionPanel />
      <Counts />
      <LastHour reading={reading} />
      {canReadTrail && <LatestChanges />}
    </Page>
  );
}
