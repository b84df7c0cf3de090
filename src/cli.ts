#!/usr/bin/env node
// The command line: manages a database beside a running server or without one.

import { createProgram } from './cli/program.ts';
import { optimizeWebAssemblyLater } from './cli/web-assembly.ts';
import { SallyportError } from './domain/errors.ts';
import { messageOf } from './domain/wording.ts';

optimizeWebAssemblyLater();
createProgram()
  .parseAsync()
  .catch((error: unknown) => {
    const field = error instanceof SallyportError && error.field !== undefined ? `${error.field} ` : '';
    const message = `${field}${messageOf(error)}`;
    const asJson = process.argv.includes('--json');
    process.stderr.write(`${asJson ? JSON.stringify({ error: message }) : message}\n`);
    process.exitCode = 1;
  });
