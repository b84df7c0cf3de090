// The last hour: requests, decisions of the gate, and the service itself.

import { useDeferredValue } from 'react';
import type { Reading } from '../../client/data.ts';
import { Badge } from '../../kit/badge.tsx';
import { Bars, type Series } from '../../kit/bars.tsx';
import { Loaded } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { Time } from '../../kit/time.tsx';
import type { ActivityQuery } from './overview.generated.ts';
import styles from './overview.module.css';

type Minute = NonNullable<ActivityQuery['activity']>[number];
type Service = NonNullable<ActivityQuery['service']>;

const requests: readonly Series<Minute>[] = [
  {
    title: 'Answered',
    tone: 'accent',
    count: (minute) => minute.requests - minute.failedRequests - minute.brokenRequests,
  },
  { title: 'Client errors', tone: 'caution', count: (minute) => minute.failedRequests },
  { title: 'Server errors', tone: 'bad', count: (minute) => minute.brokenRequests },
];

const decisions: readonly Series<Minute>[] = [
  { title: 'Allowed', tone: 'good', count: (minute) => minute.gateAllowed },
  { title: 'Sent to log in', tone: 'accent', count: (minute) => minute.gateLogins },
  { title: 'Refused', tone: 'bad', count: (minute) => minute.gateRefused },
];

/** State and version of the service. */
export function About({ service }: { service: Service }) {
  return (
    <p className={styles.service}>
      <Badge tone={service.healthy ? 'good' : 'bad'}>{service.healthy ? 'Healthy' : 'Not well'}</Badge>
      <span>Sallyport {service.version}</span>
      <span>{service.database}</span>
      <span>
        started <Time value={service.startedAt} />
      </span>
    </p>
  );
}

/** The charts. Empty until their data has arrived, so that they have their full height from the start. */
function Pictures({ minutes }: { minutes: readonly Minute[] | null }) {
  const state = minutes === null ? styles.waiting : '';
  return (
    <div className={styles.pair}>
      <Panel title="Requests in the last hour">
        <div className={state}>
          <Bars label="Requests by minute" rows={minutes ?? []} series={requests} />
        </div>
      </Panel>
      <Panel title="Decisions of the gate in the last hour">
        <div className={state}>
          <Bars label="Decisions of the gate by minute" rows={minutes ?? []} series={decisions} />
        </div>
      </Panel>
    </div>
  );
}

/** Charts of the last hour. Rendered after the rest of the page, because the two charts have more elements than all of it. */
export function LastHour({ reading }: { reading: Reading<ActivityQuery> }) {
  // `null` rather than `undefined`: React does not defer the first value if the initial value is undefined.
  const data = useDeferredValue(reading.data ?? null, null) ?? undefined;
  return (
    <Loaded reading={{ ...reading, data }} placeholder={<Pictures minutes={null} />}>
      {({ activity }) => <Pictures minutes={activity ?? []} />}
    </Loaded>
  );
}
