// Metrics that the processes behind one port expose as one.

import { expect, test } from 'vitest';
import { metricsOfAll } from '../../src/cli/counted-together.ts';
import { createPeers } from '../../src/cli/peers.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';

test('scrapes that come while one is answered share the next, and see what was counted before they came', async () => {
  const metrics = createMetrics({
    version: '1.2.3',
    now: () => new Date('2027-01-31T09:30:00Z'),
    gauges: [],
    reportFailure: (error) => {
      throw error;
    },
  });
  let counted = 0;
  const values = () => {
    counted += 1;
    return metrics.values();
  };
  // A process that has only itself to ask, but does not know that it is alone.
  const { expose } = metricsOfAll({ ...metrics, values }, { ...createPeers(), areNone: false });
  metrics.setReady(false);
  const first = expose();
  metrics.setReady(true);
  const others = Array.from({ length: 20 }, () => expose());
  expect(await first).toContain('sallyport_ready ');
  expect([...new Set((await Promise.all(others)).map((text) => /^sallyport_ready \d$/m.exec(text)?.[0]))]).toEqual([
    'sallyport_ready 1',
  ]);
  expect(counted).toBe(2);
});
