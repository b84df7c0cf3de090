// Runs commands of the command line one after the other in one process, because most of a command's time is its start. Reads one
// command per line from standard input, and answers each with its output and its exit code.

import { createInterface } from 'node:readline';
import { runCommand } from '../../src/cli/run.ts';
import { optimizeWebAssemblyLater } from '../../src/cli/web-assembly.ts';

optimizeWebAssemblyLater();
const answer = process.stdout.write.bind(process.stdout);
let printed = { out: '', errors: '' };
const collecting = (stream: keyof typeof printed) => (text: Uint8Array | string, done?: unknown) => {
  printed[stream] += String(text);
  if (typeof done === 'function') done();
  return true;
};
process.stdout.write = collecting('out');
process.stderr.write = collecting('errors');

for await (const line of createInterface(process.stdin)) {
  const { args, environment } = JSON.parse(line);
  process.env = environment;
  printed = { out: '', errors: '' };
  process.exitCode = 0;
  await runCommand(args);
  answer(`${JSON.stringify({ code: process.exitCode, ...printed })}\n`);
}
