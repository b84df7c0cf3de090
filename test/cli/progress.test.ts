// What long commands say meanwhile.

import { expect, onTestFinished, test, vi } from 'vitest';
import { reportingTime } from '../../src/cli/progress.ts';

test('a long command says on standard error for how long it has been at work, and a short one nothing', async () => {
  vi.useFakeTimers();
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => {
    write.mockRestore();
    vi.useRealTimers();
  });
  const work = reportingTime('Planning', new Promise((resolve) => setTimeout(resolve, 12_000, 'the plan')));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await work).toBe('the plan');
  expect(write.mock.calls.map(([text]) => text)).toEqual([
    'Planning, 5 seconds so far\n',
    'Planning, 10 seconds so far\n',
  ]);
});
