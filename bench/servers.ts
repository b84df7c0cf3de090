// The servers that are measured, each a process of its own on a database of its own.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Root of the project. */
export const root = resolve(import.meta.dirname, '..');

/** A server that listens. */
export interface Server {
  readonly url: string;
  /** Memory that the process has in RAM, in MiB. */
  residentMiB(): number;
  /** Processor time that the process has used, in seconds. */
  processorSeconds(): number;
  stop(): Promise<void>;
}

/** Starts Sallyport, as it is shipped and with its default settings but for the log, which the opponents do not write. */
export function startSallyport(databaseUrl: string, secretKey: string): Promise<Server> {
  return start([join(root, 'dist/main.js')], {
    PORT: '0',
    DATABASE_URL: databaseUrl,
    SECRET_KEY: secretKey,
    LOG_LEVEL: 'error',
  });
}

/** Starts an opponent, of which `bare` needs no database. It runs as TypeScript, which costs time at its start and memory, and nothing else. */
export function startOpponent(name: 'limit' | 'by-hand' | 'bare', databaseUrl: string): Promise<Server> {
  return start(['--import', 'tsx', join(import.meta.dirname, `${name}.ts`), databaseUrl], {});
}

async function start(args: string[], environment: Record<string, string>): Promise<Server> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const url = await readUrl(child, ended);
  return {
    url,
    residentMiB: () => Number(/^VmRSS:\s+(\d+) kB$/m.exec(readProcess(child, 'status'))?.[1]) / 1024,
    processorSeconds: () => {
      // proc(5): after the name in parentheses, which may hold anything, `utime` and `stime` are the 12th and 13th.
      const [, rest = ''] = readProcess(child, 'stat').split(') ');
      const [userTicks, systemTicks] = rest.split(' ').slice(11, 13).map(Number);
      return ((userTicks ?? Number.NaN) + (systemTicks ?? Number.NaN)) / ticksPerSecond;
    },
    async stop() {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** `USER_HZ`, which is 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;

function readProcess(child: ChildProcess, name: 'stat' | 'status'): string {
  return readFileSync(`/proc/${child.pid}/${name}`, 'utf8');
}

async function readUrl(child: ChildProcess, ended: Promise<unknown>): Promise<string> {
  let printed = '';
  const announced = new Promise<string>((resolve) => {
    child.stdout?.on('data', (chunk) => {
      printed += chunk;
      const url = /listening on (\S+)\n/.exec(printed)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
  const url = await Promise.race([announced, ended.then(() => undefined)]);
  if (url === undefined) throw new Error(`A server did not start: ${child.spawnargs.join(' ')}\n${printed}`);
  return url;
}
