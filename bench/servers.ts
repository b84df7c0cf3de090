// The servers that are measured, each in a process of its own on a database of its own.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { processorSecondsOf, residentMiBOf } from './processes.ts';

/** Root of the project. */
export const root = resolve(import.meta.dirname, '..');

/** A server that is listening. */
export interface Server {
  readonly url: string;
  readonly pid: number;
  /** Memory that the process has in RAM, in MiB. */
  residentMiB(): number;
  /** Processor time that the process and its descendants have used, in seconds. */
  processorSeconds(): number;
  stop(): Promise<void>;
}

/**
 * Starts Sallyport as it is shipped, with its default settings except for the log, which the opponents do not write. The program is
 * that of the last build, unless another one is given.
 */
export function startSallyport(
  databaseUrl: string,
  secretKey: string,
  {
    workers = 1,
    program = join(root, 'dist/main.js'),
    settings = {},
  }: {
    readonly workers?: number;
    readonly program?: string;
    readonly settings?: Readonly<Record<string, string>>;
  } = {},
): Promise<Server> {
  return startServer(process.execPath, [program], {
    PORT: '0',
    DATABASE_URL: databaseUrl,
    SECRET_KEY: secretKey,
    WORKERS: String(workers),
    LOG_LEVEL: 'error',
    ...settings,
  });
}

/** Starts an opponent (`bare` needs no database). The program is already a bundle, so that a start measures nothing else. */
export function startOpponent(program: string, databaseUrl: string, ...words: string[]): Promise<Server> {
  return startServer(process.execPath, [program, databaseUrl, ...words], {});
}

/**
 * Bundles an opponent as Sallyport is bundled: a TypeScript loader would count as its memory and its start.
 *
 * @returns the path of the program
 */
export async function bundleOpponent(name: 'limit' | 'by-hand' | 'bare' | 'receiver' | 'peers/plain'): Promise<string> {
  // Inside the project, where the program finds its packages.
  const outfile = join(root, 'data/bench-programs', `${name}.js`);
  const entryPoints = [join(import.meta.dirname, `${name}.ts`)];
  await build({ entryPoints, outfile, bundle: true, packages: 'external', platform: 'node', format: 'esm' });
  return outfile;
}

/**
 * Starts a program and waits until it prints where it listens.
 *
 * @throws Error with its output if it ends before that
 */
export async function startServer(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Server> {
  const child = spawn(program, args, {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  let printed = '';
  const announced = new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk) => {
      printed += chunk;
      const url = /listening on (\S+)\n/.exec(printed)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
  const url = await Promise.race([announced, ended.then(() => undefined)]);
  const { pid } = child;
  if (url === undefined || pid === undefined) {
    throw new Error(`A server did not start: ${child.spawnargs.join(' ')}\n${printed}`);
  }
  return {
    url,
    pid,
    residentMiB: () => residentMiBOf(pid),
    processorSeconds: () => processorSecondsOf(pid),
    async stop() {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await ended;
    },
  };
}
