// The overview: what needs attention, and how the service is doing.

import { useRef } from 'react';
import { useClock } from '../../client/clock.ts';
import { useData } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import { useAddressParameters } from '../../kit/address.ts';
import { Loading, Notice } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { About, ActivityCharts } from './activity.tsx';
import { AttentionPanel } from './attention.tsx';
import { Counts } from './counts.tsx';
import { FirstStepsPanel, useFirstSteps } from './first-steps.tsx';
import { LatestChanges } from './latest-changes.tsx';
import { ActivityDocument } from './overview.generated.ts';
import { rangeIn } from './questions.ts';

/** Pseudo-kind for reading again: counters change without an event. */
const clock = 'Activity';
const lookMs = 20_000;

export default function Overview() {
  useClock(clock, lookMs);
  const [parameters] = useAddressParameters();
  const reading = useData(ActivityDocument, rangeIn(parameters).asked, [clock]);
  // Stays while another range is read.
  const known = useRef(reading.data?.service);
  known.current = reading.data?.service ?? known.current;
  const service = known.current;
  const canReadTrail = useCan('audit-events:read');
  const { left, dismiss } = useFirstSteps();
  // The steps must be known first: otherwise, what is below them would move.
  if (left === undefined) {
    return (
      <Page title="Overview">
        <Loading />
      </Page>
    );
  }
  return (
    <Page title="Overview" actions={service && <About service={service} />}>
      {service?.problems.map((problem) => (
        <Notice key={problem} tone="bad">
          {problem}
        </Notice>
      ))}
      <AttentionPanel />
      <FirstStepsPanel left={left} dismiss={dismiss} />
      <Counts />
      <ActivityCharts reading={reading} />
      {canReadTrail && <LatestChanges />}
    </Page>
  );
}
