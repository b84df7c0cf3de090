#!/usr/bin/env node
// The server process. It catches the signals that end it first, and loads the program then: that takes half a second, in
// which a signal would else be lost on the first process of a container.

import { catchEndSignals } from './cli/signals.ts';
import { optimizeWebAssemblyLater } from './cli/web-assembly.ts';

const signals = catchEndSignals();
optimizeWebAssemblyLater();
const { serve } = await import('./cli/serve.ts');
await serve(signals);
