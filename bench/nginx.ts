// Runs nginx in front of an application, as `deploy/nginx` sets it up, once with `auth_request` and once without.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { temporaryPaths } from '../test/support/nginx.ts';
import { root, type Server } from './servers.ts';

/** Options of `startNginx`. */
export interface NginxSetup {
  /** Directory for its files. */
  readonly directory: string;
  readonly edgeId: string;
  readonly gate: Pick<Server, 'url'>;
  readonly application: Pick<Server, 'url'>;
}

/** A running nginx. Its own processor time is not measured. */
export interface Nginx {
  readonly guarded: Pick<Server, 'url' | 'processorSeconds'>;
  readonly unguarded: Pick<Server, 'url' | 'processorSeconds'>;
  stop(): Promise<void>;
}

/** Starts nginx; returns null if it is not installed. */
export async function startNginx({ directory, edgeId, gate, application }: NginxSetup): Promise<Nginx | null> {
  if (spawnSync('nginx', ['-v']).status !== 0) return null;
  const [guardedPort, unguardedPort] = [await freePort(), await freePort()];
  const upstreams = read('gate.conf')
    .replace(/\nserver \{[\s\S]*$/, '')
    .replace('127.0.0.1:4000', new URL(gate.url).host);
  const guarded = read('app.example.com.conf')
    .replace(/ssl_certificate.*;/g, '')
    .replace('http://127.0.0.1:8080', 'http://application')
    // With persistent connections, like those to the gate.
    .replace('proxy_set_header Connection $gate_connection;', 'proxy_set_header Connection "";')
    .replace('EDGE_ID', edgeId);
  const listening = (text: string, port: number) =>
    text.replace('listen 443 ssl http2;', `listen 127.0.0.1:${port};`).replace('listen [::]:443 ssl http2;', '');
  const file = join(directory, 'nginx.conf');
  writeFileSync(
    file,
    `worker_processes 1; daemon off; pid ${directory}/nginx.pid; error_log stderr;
    events {} http { access_log off; keepalive_requests 1000000; ${temporaryPaths(directory)} ${upstreams}
      upstream application { server ${new URL(application.url).host}; keepalive 32; }
      ${listening(guarded, guardedPort)}
      ${listening(guarded.replace('auth_request /.gate/ask;', ''), unguardedPort)}
    }`,
  );
  const child = spawn('nginx', ['-e', 'stderr', '-p', directory, '-c', file], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  await Promise.race([
    untilListening(unguardedPort),
    ended.then(() => Promise.reject(new Error('nginx did not start.'))),
  ]);
  const server = (port: number) => ({ url: `http://127.0.0.1:${port}`, processorSeconds: () => 0 });
  return {
    guarded: server(guardedPort),
    unguarded: server(unguardedPort),
    async stop() {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function read(file: string): string {
  return readFileSync(join(root, 'deploy/nginx', file), 'utf8');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function untilListening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isThere = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (isThere) return;
    await pause(20);
  }
}
