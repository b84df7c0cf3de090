// Reverse proxies for the tests of the gate: the real programs, with the configurations that the service writes from those in
// `deploy`, except for ports and certificates.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type GateProxy, proxyFiles } from '../../src/domain/gate/proxy-configuration.ts';
import type { ServedPath } from '../../src/domain/gate/proxy-paths.ts';
import { makeIdpKey } from '../support/identity-provider.ts';
import { temporaryPaths } from '../support/nginx.ts';
import { root } from '../support/source-files.ts';
import { run, temporaryDirectory, until } from './support.ts';

/** The ports, hosts and edge that a proxy deals with. */
export interface Places {
  /** The port of the proxy. */
  readonly port: number;
  readonly gatePort: number;
  readonly appPort: number;
  readonly edge: string;
  /** The host of the application; by default that of the configuration. */
  readonly host?: string;
  /** Makes the proxy speak HTTPS, with a certificate that nobody trusts. */
  readonly tls?: boolean;
  /** The paths that have servers of their own; none by default. */
  readonly paths?: readonly ServedPath[];
  /** Whether the edge forwards API keys; not by default. */
  readonly forwardsKeys?: boolean;
  /** Changes the application's configuration, as somebody might who has not read it. */
  readonly edit?: (text: string) => string;
}

/** A kind of proxy. */
export interface ProxyKind {
  readonly name: string;
  readonly isInstalled: boolean;
  /** How it asks the gate. */
  readonly way: 'auth-request' | 'forward-auth' | 'ext-authz';
  /** Whether it normalizes a path before it asks, and refuses one that it cannot normalize. */
  readonly normalizes?: true;
  /** The range of the address that it names for a client on its own machine, if not that of the connection. */
  readonly localClients?: string;
  /** The host and port that the gate is told without HTTPS; they must belong to the edge. */
  hostport(port: number): string;
  start(places: Places): void;
}

/** Returns the first IPv4 address of this machine that is not of the loopback. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
}

function isInstalled(command: string, ...args: string[]): boolean {
  return spawnSync(command, args).status === 0;
}

/** Returns the files of a configuration by name, as the service writes them. */
function configurationOf(proxy: GateProxy, places: Places) {
  const { gatePort, appPort, edge, host = 'app.example.com', paths = [], forwardsKeys = false } = places;
  const settings = {
    edgeId: edge,
    hostport: `${host}:443`,
    service: `127.0.0.1:${gatePort}`,
    application: [`127.0.0.1:${appPort}`] as const,
    paths,
    forwardsKeys,
    missing: [],
  };
  const files = proxyFiles(proxy, settings, (path) => readFileSync(join(root, 'deploy', path), 'utf8'));
  return new Map(files.map(({ name, text }) => [name, text]));
}

/** Replaces parts of a text. Throws Error unless each part occurs. */
function edited(given: string | undefined, values: Readonly<Record<string, string>>): string {
  let text = given ?? '';
  for (const [from, to] of Object.entries(values)) {
    if (!text.includes(from)) throw new Error(`The configuration has no "${from}".`);
    text = text.replaceAll(from, to);
  }
  return text;
}

const nginx: ProxyKind = {
  name: 'nginx',
  isInstalled: isInstalled('nginx', '-v'),
  way: 'auth-request',
  hostport: () => 'app.example.com:443',
  start(places) {
    const { port, edge, host = 'app.example.com', tls = false } = places;
    const directory = temporaryDirectory();
    const files = configurationOf('nginx', places);
    const listen = `listen 127.0.0.1:${port}${tls ? ' ssl http2' : ''}`;
    const { certificate, key } = writeCertificate(directory);
    const ports = { 'listen 443 ssl http2': listen, 'listen [::]:443 ssl http2': listen.replace('127.0.0.1', '[::1]') };
    const gate = `${files.get('gate.conf')} ${edited(files.get('default.conf'), {
      ...ports,
      ...(tls ? {} : { 'ssl_reject_handshake on;': '' }),
    })}`;
    const app = edited(files.get(`${host}.conf`), {
      ...ports,
      [`ssl_certificate /etc/nginx/${host}.pem;`]: tls ? `ssl_certificate ${certificate};` : '',
      [`ssl_certificate_key /etc/nginx/${host}.key;`]: tls ? `ssl_certificate_key ${key};` : '',
    });
    // Another application behind the same proxy, with an edge that does not exist: nobody passes there.
    const other = app.replaceAll(host, 'other.example.com').replaceAll(edge, unknownEdge);
    const file = join(directory, 'nginx.conf');
    writeFileSync(
      file,
      `worker_processes 1; daemon off; pid ${directory}/nginx.pid; error_log stderr;
      events {} http { access_log off; ${temporaryPaths(directory)} ${gate} ${app} ${other} }`,
    );
    run('nginx', ['-e', 'stderr', '-p', directory, '-c', file]);
  },
};

export const caddy: ProxyKind = {
  name: 'Caddy',
  isInstalled: isInstalled('caddy', 'version'),
  way: 'forward-auth',
  hostport: (port) => `app.example.com:${port}`,
  start(places) {
    const { port, edge, host = 'app.example.com', tls = false, edit = (text) => text } = places;
    const directory = temporaryDirectory();
    const { certificate, key } = writeCertificate(directory);
    const original = edited(configurationOf('caddy', places).get('Caddyfile'), {
      [`${host} {`]: tls ? `${host} {\n\ttls ${certificate} ${key}` : `http://${host}:${port} {`,
    });
    const site = edit(original);
    const other = site.replaceAll(host, 'other.example.com').replaceAll(edge, unknownEdge);
    const file = join(directory, 'Caddyfile');
    const https = tls ? `auto_https disable_redirects\n\thttps_port ${port}` : 'auto_https off';
    writeFileSync(file, `{\n\tadmin off\n\t${https}\n\tdefault_bind 127.0.0.1 ::1\n}\n${site}\n${other}`);
    run('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], { HOME: directory, XDG_DATA_HOME: directory });
  },
};

const haproxy: ProxyKind = {
  name: 'HAProxy',
  isInstalled: isInstalled('haproxy', '-v'),
  way: 'forward-auth',
  hostport: (port) => `app.example.com:${port}`,
  start(places) {
    const { port, host = 'app.example.com', tls = false } = places;
    const directory = temporaryDirectory();
    const file = join(directory, 'haproxy.cfg');
    const text = edited(configurationOf('haproxy', places).get('gate.cfg'), {
      [`bind :::443 v4v6 ssl crt /etc/haproxy/${host}.pem alpn h2,http/1.1`]: `bind 127.0.0.1:${port},[::1]:${port}${
        tls ? ` ssl crt ${writeCertificate(directory).both} alpn h2,http/1.1` : ''
      }`,
      '/etc/haproxy/gate.lua': join(root, 'deploy/haproxy/gate.lua'),
    });
    writeFileSync(file, text);
    run('haproxy', ['-f', file]);
  },
};

const envoy: ProxyKind = {
  name: 'Envoy',
  isInstalled: isInstalled('envoy', '--version'),
  way: 'ext-authz',
  normalizes: true,
  localClients: `${ownAddress()}/32`,
  hostport: (port) => `app.example.com:${port}`,
  start(places) {
    const { port, host = 'app.example.com', tls = false } = places;
    const directory = temporaryDirectory();
    const { certificate, key } = writeCertificate(directory);
    const socket = (address: string) => `{ socket_address: { address: "${address}", port_value: ${port} } }`;
    let text = edited(configurationOf('envoy', places).get('gate.yaml'), {
      'address: { socket_address: { address: "::", port_value: 443, ipv4_compat: true } }': `address: ${socket('127.0.0.1')}
      additional_addresses: [{ address: ${socket('::1')} }]`,
      [`/etc/envoy/${host}.pem`]: certificate,
      [`/etc/envoy/${host}.key`]: key,
      ...(tls ? {} : { [`domains: ["${host}"]`]: `domains: ["${host}:${port}"]` }),
    });
    if (!tls) text = text.replace(/- transport_socket:[\s\S]*?\n +filters:/, '- filters:');
    const file = join(directory, 'envoy.yaml');
    writeFileSync(file, text);
    run('envoy', ['-c', file, '--concurrency', '1', '--disable-hot-restart', '-l', 'error']);
  },
};

/** Writes a certificate and its key, separately and in one file. */
function writeCertificate(directory: string) {
  const { privateKey, certificatePem } = makeIdpKey();
  const keyPem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const write = (name: string, text: string) => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  return {
    certificate: write('certificate.pem', certificatePem),
    key: write('key.pem', keyPem),
    both: write('both.pem', certificatePem + keyPem),
  };
}

/** The proxies that run in the tests. */
export const proxyKinds: readonly ProxyKind[] = [nginx, caddy, haproxy, envoy];

const unknownEdge = 'edghts_01h455vb4pex5vsknk084sn02q';

/** A request as it arrived at the application. */
export interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Starts an application that records the requests it receives. */
export async function startApplication() {
  const arrived: Arrived[] = [];
  const server = createServer((request, answer) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      arrived.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      answer.end('the application');
    });
  });
  return { port: await listening(server), arrived };
}

/** Starts a forwarder to a port, which counts its connections and records the bytes it receives, until it is told to break them. */
export async function startForwarder(target: number) {
  const sockets = new Set<Socket>();
  let connections = 0;
  let received = '';
  let broken = false;
  const server = createTcpServer((client) => {
    connections += 1;
    if (broken) {
      client.destroy();
      return;
    }
    const upstream = connect(target, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    client.on('data', (bytes) => {
      received += bytes.toString('latin1');
    });
    client.pipe(upstream).pipe(client);
  });
  return {
    port: await listening(server),
    connections: () => connections,
    /** What clients have sent so far. */
    received: () => received,
    break() {
      broken = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Listens on a free loopback port until the end of the test, and returns it. */
export async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  // A listening TCP server has an address with a port.
  return (server.address() as AddressInfo).port;
}

/** Waits until a port accepts connections. */
export async function untilListening(port: number): Promise<void> {
  await until(
    () =>
      new Promise<boolean>((resolve) => {
        const socket = connect(port, '127.0.0.1');
        const end = (is: boolean) => {
          socket.destroy();
          resolve(is);
        };
        socket.once('connect', () => end(true)).once('error', () => end(false));
      }),
  );
}
