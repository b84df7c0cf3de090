// Activity within a range of time: requests and decisions of the gate. And the service itself.

import { useDeferredValue } from 'react';
import type { Reading } from '../../client/data.ts';
import { useAddressParameters } from '../../kit/address.ts';
import { Badge } from '../../kit/badge.tsx';
import { Bars, type Series } from '../../kit/bars.tsx';
import { Link } from '../../kit/link.tsx';
import { Loaded } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { Time } from '../../kit/time.tsx';
import type { ActivityQuery } from './overview.generated.ts';
import styles from './overview.module.css';
import { rangeIn, ranges } from './questions.ts';

type Interval = NonNullable<ActivityQuery['activity']>[number];
type Service = NonNullable<ActivityQuery['service']>;

const requests: readonly Series<Interval>[] = [
  {
    title: 'Answered',
    tone: 'accent',
    count: (interval) => interval.requests - interval.failedRequests - interval.brokenRequests,
  },
  { title: 'Client errors', tone: 'caution', count: (interval) => interval.failedRequests },
  { title: 'Server errors', tone: 'bad', count: (interval) => interval.brokenRequests },
];

const decisions: readonly Series<Interval>[] = [
  { title: 'Allowed', tone: 'good', count: (interval) => interval.gateAllowed },
  { title: 'Sent to log in', tone: 'accent', count: (interval) => interval.gateLogins },
  { title: 'Refused', tone: 'bad', count: (interval) => interval.gateRefused },
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
function Pictures({ intervals }: { intervals: readonly Interval[] | null }) {
  const state = intervals === null ? styles.waiting : '';
  return (
    <div className={styles.pair}>
      <Panel title="Requests">
        <div className={state}>
          <Bars label="Requests" rows={intervals ?? []} series={requests} />
        </div>
      </Panel>
      <Panel title="Decisions of the gate">
        <div className={state}>
          <Bars label="Decisions of the gate" rows={intervals ?? []} series={decisions} />
        </div>
      </Panel>
    </div>
  );
}

/** The ranges to choose from, as links: each has an address. */
function Ranges() {
  const [parameters] = useAddressParameters();
  const chosen = rangeIn(parameters);
  return (
    <nav aria-label="Range of activity" className={styles.ranges}>
      {ranges.map((range) => (
        <Link
          key={range.title}
          href={range.name === '' ? '/' : `/?range=${range.name}`}
          aria-current={range === chosen ? 'true' : undefined}
        >
          {range.title}
        </Link>
      ))}
    </nav>
  );
}

/** Charts of activity. Rendered after the rest of the page, because the two charts have more elements than all of it. */
export function ActivityCharts({ reading }: { reading: Reading<ActivityQuery> }) {
  // `null` rather than `undefined`: React does not defer the first value if the initial value is undefined.
  const data = useDeferredValue(reading.data ?? null, null) ?? undefined;
  return (
    <section aria-label="Activity" className={styles.activity}>
      <Ranges />
      <Loaded reading={{ ...reading, data }} placeholder={<Pictures intervals={null} />}>
        {({ activity }) => <Pictures intervals={activity ?? []} />}
      </Loaded>
    </section>
  );
}
