#!/usr/bin/env node
// The command line: manages a database, with or without a running server.

import { nameSourcesInTraces } from './cli/traces.ts';
import { optimizeWebAssemblyLater } from './cli/web-assembly.ts';

nameSourcesInTraces();
optimizeWebAssemblyLater();
const { runCommand } = await import('./cli/run.ts');
await runCommand(process.argv.slice(2));
