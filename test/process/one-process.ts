// Runs the command line as `cli` does, but without a process for each command: for tests of what commands do.

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { inject, onTestFinished } from 'vitest';
import type { NamedDatabase } from '../support/database.ts';
import { type Ended, type Environment, programFile, withoutProgress } from './support.ts';

/** A process that runs commands one after the other, and the callers waiting for their results. */
interface CommandProcess {
  readonly child: ChildProcess;
  readonly waiting: { readonly resolve: (ended: Ended) => void; readonly reject: (error: Error) => void }[];
}

/** The processes by program. They end with the test worker, because that closes their standard input. */
const processes = new Map<string, CommandProcess>();

function startProcess(program: string): CommandProcess {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting: CommandProcess['waiting'] = [];
  createInterface(child.stdout).on('line', (line) => {
    const ended: Ended = JSON.parse(line);
    waiting.shift()?.resolve({ ...ended, errors: withoutProgress(ended.errors) });
  });
  child.once('close', () => {
    processes.delete(program);
    const error = new Error('The command ended the process. Give it one of its own, with "cli".');
    for (const { reject } of waiting) reject(error);
  });
  // A test's own copies of the programs are removed with it.
  if (!program.startsWith(inject('programs'))) onTestFinished(() => void child.kill('SIGKILL'));
  const started = { child, waiting };
  processes.set(program, started);
  return started;
}

/**
 * Runs a command as `cli` does, but in a process that all commands share: most of a command's time is its start. The command must
 * be valid, must not read standard input, and must not wait for a signal.
 */
export function command(
  database: NamedDatabase,
  args: readonly string[],
  environment: Environment = {},
): Promise<Ended> {
  const program = programFile('dist/commands.js');
  const { child, waiting } = processes.get(program) ?? startProcess(program);
  const variables = { PATH: process.env.PATH, ...database.environment, ...environment };
  return new Promise((resolve, reject) => {
    waiting.push({ resolve, reject });
    child.stdin?.write(`${JSON.stringify({ args, environment: variables })}\n`);
  });
}

/**
 * Runs a command with `--json` as `command` does, and returns what it prints, parsed. Throws Error with its error output if it
 * prints nothing.
 */
export async function commandJson(database: NamedDatabase, args: readonly string[], environment: Environment = {}) {
  const { out, errors } = await command(database, [...args, '--json'], environment);
  if (out === '') throw new Error(errors);
  return JSON.parse(out);
}
