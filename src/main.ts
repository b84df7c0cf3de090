#!/usr/bin/env node
// The server process. It catches the end signals before it loads the program, because loading takes half a second, in which the
// first process of a container would otherwise miss a signal.

import cluster from 'node:cluster';
import { growHeapSlowly, keepNewYoung } from './cli/heap.ts';
import { catchEndSignals } from './cli/signals.ts';
import { nameSourcesInTraces } from './cli/traces.ts';
import { optimizeWebAssemblyLater } from './cli/web-assembly.ts';

const signals = catchEndSignals(cluster.isPrimary);
nameSourcesInTraces();
optimizeWebAssemblyLater();
keepNewYoung();
if (cluster.isPrimary && Number(process.env.WORKERS) > 1) {
  const { superviseWorkers } = await import('./cli/workers.ts');
  superviseWorkers(signals);
} else {
  const { serve } = await import('./cli/serve.ts');
  await serve(signals);
  growHeapSlowly();
}
