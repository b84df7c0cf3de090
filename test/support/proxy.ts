// Proxies in front of a service, whose connections can be cut, and in front of a database.

import { createServer, request as sendRequest } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A proxy that runs until its test is over. */
export interface Proxy {
  readonly url: string;
  /** Closes all of its connections, and accepts no more. */
  cut(): void;
  /** Accepts connections again, at the same address. */
  restore(): Promise<void>;
}

/**
 * Starts a proxy.
 *
 * @param url of the service
 * @param prefix the path below which the proxy serves the service; it strips the prefix
 */
export async function startProxy(url: string, prefix = ''): Promise<Proxy> {
  const { hostname: host, port: servicePort } = new URL(url);
  const proxy = createServer((request, reply) => {
    const { url: asked = '', method, headers } = request;
    const options = { host, port: servicePort, path: asked.slice(prefix.length), method, headers };
    const passed = sendRequest(options, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(reply);
    });
    passed.on('error', () => reply.destroy());
    request.pipe(passed);
    reply.on('close', () => passed.destroy());
  });
  const listen = (at: number) => new Promise<void>((resolve) => proxy.listen(at, '127.0.0.1', resolve));
  const cut = () => void proxy.close().closeAllConnections();
  await listen(0);
  onTestFinished(cut);
  // The address of a server on TCP is an object.
  const { port } = proxy.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, cut, restore: () => listen(port) };
}

/**
 * Starts a proxy in front of the PostgreSQL server of a database, and returns the URL of the database behind it. It stops when its
 * test is over.
 *
 * @param pass connects a client with the server. When one of them ends, the other does, too.
 */
export async function startDatabaseProxy(
  databaseUrl: string,
  pass: (client: Socket, server: Socket) => void,
): Promise<string> {
  const url = new URL(databaseUrl);
  const directory = url.searchParams.get('host');
  const serverPort = Number(url.port || 5432);
  const proxy = createTcpServer((client) => {
    const server =
      directory === null ? connect(serverPort, url.hostname) : connect(join(directory, `.s.PGSQL.${serverPort}`));
    pass(client, server);
    for (const end of [client, server]) {
      end.on('error', () => {});
      end.on('close', () => [client, server].forEach((one) => void one.destroy()));
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void proxy.close());
  url.searchParams.delete('host');
  url.hostname = '127.0.0.1';
  // The address of a server on TCP is an object.
  url.port = String((proxy.address() as AddressInfo).port);
  return url.href;
}
