#!/usr/bin/env node
// The command line: manages a database beside a running server or without one.

import { runCommand } from './cli/run.ts';
import { optimizeWebAssemblyLater } from './cli/v8-flags.ts';

optimizeWebAssemblyLater();
await runCommand(process.argv.slice(2));
