// @ts-check
// Runs the programs as they are used, so that the code which V8 has compiled then is kept beside their scripts.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const keepScripts = join(import.meta.dirname, 'keep-scripts.js');
const key = 'a-key-for-the-first-start-only';

/**
 * Writes the code of the scripts of programs, each into a file beside it.
 *
 * @param {string} directory of the programs `main.js` and `cli.js`
 * @returns {Promise<string[]>} the names of the files
 * @throws {Error} with what a program printed that did not work
 */
export async function writeCodeCaches(directory) {
  const data = mkdtempSync(join(tmpdir(), 'sallyport-build-'));
  const env = {
    PATH: process.env.PATH ?? '',
    NODE_ENV: 'production',
    DATABASE_URL: `file:${join(data, 'sallyport.db')}`,
    BOOTSTRAP_API_KEY: key,
    HOST: '127.0.0.1',
    PORT: '0',
  };
  try {
    await serveOnce(join(directory, 'main.js'), env);
    for (const args of [['--help'], ['key', 'list'], ['doctor']]) {
      const { stderr } = spawnSync(process.execPath, ['--import', keepScripts, join(directory, 'cli.js'), ...args], {
        env,
        encoding: 'utf8',
      });
      if (stderr !== '') throw new Error(`cli.js ${args.join(' ')}: ${stderr}`);
    }
    return readdirSync(directory).filter((name) => name.endsWith('.cache'));
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

/**
 * Starts a server, asks it what is asked most, and ends it.
 *
 * @param {string} program
 * @param {NodeJS.ProcessEnv} env
 */
async function serveOnce(program, env) {
  const child = spawn(process.execPath, ['--import', keepScripts, program], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  let printed = '';
  /** @type {Promise<string>} */
  const listening = new Promise((resolve) => {
    const read = (/** @type {string} */ text) => {
      printed += text;
      const url = /listening on (\S+)\n/.exec(printed)?.[1];
      if (url !== undefined) resolve(url);
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', read);
  });
  const url = await Promise.race([listening, ended.then(() => null)]);
  if (url === null) throw new Error(`The program ${program} does not start: ${printed}`);
  try {
    await askAll(url);
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

/**
 * Makes, changes, reads and deletes an object, on both surfaces.
 *
 * @param {string} url of a server
 */
async function askAll(url) {
  const headers = { Authorization: `Bearer ${key}`, 'Service-Version': '2', 'Content-Type': 'application/json' };
  /** @type {(method: string, path: string, body?: object) => Promise<{ id?: string, errors?: unknown }>} */
  const ask = async (method, path, body) => {
    const answer = await fetch(`${url}${path}`, { method, headers, body: body ? JSON.stringify(body) : null });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} is answered with ${answer.status}: ${text}`);
    return text === '' ? {} : JSON.parse(text);
  };
  const { id } = await ask('POST', '/ip_policies', { description: 'first' });
  await ask('PATCH', `/ip_policies/${id}`, { description: 'second' });
  await ask('GET', `/ip_policies/${id}`);
  await ask('GET', '/ip_policies');
  const query = '{ ipPolicies(first: 10) { totalCount nodes { id description } } }';
  const { errors } = await ask('POST', '/graphql', { query });
  if (errors !== undefined) throw new Error(`${query} is answered with ${JSON.stringify(errors)}`);
  await ask('DELETE', `/ip_policies/${id}`);
}
