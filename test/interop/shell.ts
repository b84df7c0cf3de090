// A shell like the one of a page's reader: text pasted later sees the variables set by text pasted before.

import { spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { until } from '../process/support.ts';

/** Starts a shell into which text can be pasted. */
export function startShell(cwd: string, env: Record<string, string>) {
  const child = spawn('bash', ['-euo', 'pipefail', '-s'], { cwd, env, detached: true });
  const { pid } = child;
  if (pid === undefined) throw new Error('bash does not start.');
  const ended = new Promise((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    // Including its background processes, if a test failed in between.
    if (child.exitCode === null) process.kill(-pid, 'SIGKILL');
    await ended;
  });
  let printed = '';
  let errors = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  let pasted = 0;
  return {
    /** Pastes text and returns what it prints until its last command has ended. */
    async paste(text: string): Promise<string> {
      pasted += 1;
      const end = `-- end of ${pasted} --\n`;
      const from = printed.length;
      child.stdin.write(`${text}\necho '${end.trim()}'\n`);
      await until(() => printed.endsWith(end) || child.exitCode !== null);
      if (child.exitCode !== null) throw new Error(`The shell ended with ${child.exitCode}: ${errors}`);
      return printed.slice(from, -end.length);
    },
  };
}
