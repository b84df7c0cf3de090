// A reverse proxy in front of a service, whose connections can be cut.

import { createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
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
