// The first page: what needs attention, and how it goes.

import { useCan } from '../../client/rights.ts';
import { Page } from '../../kit/page.tsx';
import { AttentionPanel } from './attention.tsx';
import { Counts } from './counts.tsx';
import { LastHour } from './last-hour.tsx';
import { LatestChanges } from './latest-changes.tsx';
import { useClock } from './reading.ts';

export default function Overview() {
  useClock();
  const canReadTrail = useCan('audit-events:read');
  return (
    <Page title="Overview">
      <AttentionPanel />
      <Counts />
      <LastHour />
      {canReadTrail && <LatestChanges />}
    </Page>
  );
}
