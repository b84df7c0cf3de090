#!/usr/bin/env node
// The command line: manages a database beside a running server or without one.

import { runCommand } from './cli/run.ts';
import { optimizeWebAssemblyLater } from './cli/web-assembly.ts';

optimizeWebAssemblyLater();
await runCommand(process.argv.slice(2));
