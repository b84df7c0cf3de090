// The overview: what needs attention, and how the service is doing.

import { useData } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import { Notice } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { AttentionPanel } from './attention.tsx';
import { Counts } from './counts.tsx';
import { About, LastHour } from './last-hour.tsx';
import { LatestChanges } from './latest-changes.tsx';
import { ActivityDocument } from './overview.generated.ts';
import { ticks, useClock } from './reading.ts';

export default function Overview() {
  useClock();
  const reading = useData(ActivityDocument, {}, ticks);
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
