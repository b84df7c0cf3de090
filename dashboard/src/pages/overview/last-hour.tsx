// The last hour: requests, decisions at the gate, and the program itself.

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

/** The program that answers. */
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

/** The pictures, empty where what they show is not there yet: so they are as high from the beginning. */
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

/** Pictures of the last hour. They are drawn when all else is that somebody waits for: two pictures have more elements than the rest of the page. */
export function LastHour({ reading }: { reading: Reading<ActivityQuery> }) {
  // React defers nothing at first where the value before it is undefined.
  const data = useDeferredValue(reading.data ?? null, null) ?? undefined;
  return (
    <Loaded reading={{ ...reading, data }} placeholder={<Pictures minutes={null} />}>
      {({ activity }) => <Pictures minutes={activity ?? []} />}
    </Loaded>
  );
}
