// What applications do behind the gate, with real reverse proxies, HTTPS and the configurations of `deploy`: WebSockets, event streams,
// large bodies, HTTP/2 and IPv6. And what visitors get while Sallyport does not answer.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:http2';
import { request } from 'node:https';
import { type Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { idpMetadata } from '../gate/support.ts';
import { testDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { listening, type ProxyKind, proxyKinds, untilListening } from './gate-support.ts';
import { endOf, readyServer, rest, until } from './support.ts';

const host = 'app.example.com';
const megabytes = 20;
const upgrade = {
  ...{ Connection: 'Upgrade', Upgrade: 'websocket' },
  ...{ 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' },
};

function* zeros(count: number) {
  const chunk = Buffer.alloc(1 << 20);
  for (let sent = 0; sent < count; sent += 1) yield chunk;
}

/** Counts the bytes of a body without keeping them. */
async function lengthOf(body: Readable, onBytes = (_length: number) => {}): Promise<number> {
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    onBytes(length);
  }
  return length;
}

/** Starts an application that echoes what comes over a WebSocket, tells events, and takes and sends large bodies. */
async function startApplication() {
  const urls: string[] = [];
  const app = { urls, received: 0, endEvents: () => {}, port: 0 };
  const server = createServer(async (asked, answer) => {
    urls.push(asked.url ?? '');
    if (asked.url === '/events') {
      answer.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: first\n\n');
      app.endEvents = () => answer.end('data: last\n\n');
    } else if (asked.url === '/down') {
      await pipeline(Readable.from(zeros(megabytes)), answer);
    } else {
      const length = await lengthOf(asked, (bytes) => {
        app.received = bytes;
      });
      answer.end(String(length));
    }
  });
  server.on('upgrade', ({ headers }, socket: Duplex) => {
    // RFC 6455, section 1.3; HAProxy checks it.
    const accept = createHash('sha1').update(`${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
    const answer = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
    socket.write([...answer, `Sec-WebSocket-Accept: ${accept.digest('base64')}`, '', ''].join('\r\n'));
    socket.on('error', () => {}).pipe(socket);
    onTestFinished(() => void socket.destroy());
  });
  app.port = await listening(server);
  return app;
}

/** Starts a proxy with an application and an edge with two routes: `/` is open, and `/private` requires a login. */
async function startBehind(kind: ProxyKind) {
  const gatePort = await freePort();
  const database = await testDatabase();
  const startGate = () => readyServer(database, { PORT: String(gatePort) });
  const server = await startGate();
  const make = async (path: string, body: object, method = 'POST') => {
    const answer = await rest(server.url, method, path, body);
    expect([path, answer.ok]).toEqual([path, true]);
    const { id }: { id: string } = await answer.json();
    return id;
  };
  const edge = await make('/edges/https', { hostports: [`${host}:443`] });
  await make(`/edges/https/${edge}/routes`, { match_type: 'path_prefix', match: '/' });
  const route = await make(`/edges/https/${edge}/routes`, { match_type: 'path_prefix', match: '/private' });
  await make(`/edges/https/${edge}/routes/${route}/saml`, { idp_metadata: idpMetadata }, 'PUT');

  const application = await startApplication();
  const port = await freePort();
  kind.start({ port, gatePort, appPort: application.port, edge, tls: true });
  await untilListening(port);
  const ask = (path: string, { method = 'GET', headers = {}, address = '127.0.0.1' } = {}) =>
    request({
      ...{ host: address, port, servername: host, rejectUnauthorized: false, agent: false },
      ...{ method, path, headers: { Host: host, ...headers } },
    });
  /** Resolves to the answer to a request, when its headers are there. */
  const get = async (path: string, options = {}): Promise<IncomingMessage> => {
    const asked = ask(path, options).end();
    const [answer]: IncomingMessage[] = await once(asked, 'response');
    if (answer === undefined) throw new Error('A response comes with its event.');
    return answer;
  };
  const statusOf = async (path: string, options = {}) => {
    const answer = await get(path, options);
    await lengthOf(answer);
    const { 'retry-after': retryAfter, 'content-type': type } = answer.headers;
    return { status: answer.statusCode ?? 0, retryAfter, type };
  };
  return { server, startGate, application, port, ask, get, statusOf };
}

describe.each(proxyKinds.filter(({ isInstalled }) => isInstalled))('behind $name', (kind) => {
  test('applications do all that HTTP can, and nobody passes while Sallyport is away', async () => {
    const { server, startGate, application, port, ask, get, statusOf } = await startBehind(kind);

    // A WebSocket is opened, and echoes what is sent.
    const upgrading = ask('/socket', { headers: upgrade }).end();
    const [opened, socket]: [IncomingMessage, Duplex] = await new Promise((resolve, reject) => {
      upgrading.once('upgrade', (...given) => resolve([given[0], given[1]]));
      upgrading.once('response', ({ statusCode }) => reject(new Error(`The upgrade got ${statusCode}.`)));
      upgrading.once('error', reject);
    });
    onTestFinished(() => void socket.destroy());
    const echoed = async (text: string) => {
      socket.write(text);
      const [bytes]: Buffer[] = await once(socket, 'data');
      return bytes?.toString();
    };
    expect([opened.statusCode, await echoed('hello')]).toEqual([101, 'hello']);
    const closed = await statusOf('/private', { headers: upgrade });
    expect(closed.status).toBe(401);

    // Whoever sends a form after the end of a session sees a page that leads on.
    const page = { Accept: 'text/html', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };
    const form = await get('/private', { method: 'POST', headers: page });
    expect(String(Buffer.concat(await form.toArray()))).toContain(`<a href="https://${host}/private">Log in</a>`);

    // The first event arrives while the stream is open.
    const events = (await get('/events')).iterator({ destroyOnReturn: false });
    expect(String((await events.next()).value)).toBe('data: first\n\n');
    application.endEvents();
    expect(String((await events.next()).value)).toBe('data: last\n\n');

    // Large bodies pass both ways; the application sees the beginning of an upload before its end is sent.
    const length = megabytes << 20;
    const upload = ask('/up', { method: 'POST', headers: { 'Content-Length': length } });
    upload.write(Buffer.alloc(1 << 20));
    const answering = once(upload, 'response');
    await until(() => application.received > 0);
    await pipeline(Readable.from(zeros(megabytes - 1)), upload);
    const [answer]: IncomingMessage[] = await answering;
    let told = '';
    for await (const chunk of answer ?? []) told += chunk;
    expect(told).toBe(String(length));
    expect(await lengthOf(await get('/down'))).toBe(length);

    // Over IPv6, and with HTTP/2.
    expect((await statusOf('/', { address: '::1' })).status).toBe(200);
    const session = connect(`https://[::1]:${port}`, { servername: host, rejectUnauthorized: false });
    onTestFinished(() => void session.destroy());
    const pages = ['/', '/private'].map(async (path) => {
      const stream = session.request({ ':path': path, ':authority': host });
      stream.resume();
      const [headers] = await once(stream, 'response');
      return headers[':status'];
    });
    expect(await Promise.all(pages)).toEqual([200, 401]);
    expect(session.alpnProtocol).toBe('h2');

    // While Sallyport hangs, the proxy gives up by itself, after its five seconds. The WebSocket that is open stays so.
    const isRefusal = ({ status, retryAfter, type }: Awaited<ReturnType<typeof statusOf>>) =>
      status === 503 && retryAfter === '5' && type?.startsWith('text/html');
    server.child.kill('SIGSTOP');
    application.urls.length = 0;
    const refused = await Promise.race([
      statusOf('/'),
      new Promise<undefined>((resolve) => setTimeout(resolve, 15_000, undefined).unref()),
    ]);
    expect([refused, refused && isRefusal(refused), application.urls]).toEqual([refused, true, []]);
    expect(await echoed('still here')).toBe('still here');
    server.child.kill('SIGCONT');
    await until(async () => (await statusOf('/')).status === 200);

    // While Sallyport restarts under load, requests are decided or refused; nobody passes undecided.
    application.urls.length = 0;
    let isOver = false;
    const seen = new Set<string>();
    const load = ['/', '/private', '/', '/private'].map(async (path) => {
      while (!isOver) {
        const got = await statusOf(path);
        seen.add(isRefusal(got) ? 'refused' : `${path} ${got.status}`);
      }
    });
    server.child.kill('SIGTERM');
    await endOf(server);
    await until(() => seen.has('refused'));
    await startGate();
    seen.delete('/ 200');
    await until(() => seen.has('/ 200'));
    isOver = true;
    await Promise.all(load);
    expect([...seen].sort()).toEqual(['/ 200', '/private 401', 'refused']);
    expect(application.urls.filter((url) => url !== '/')).toEqual([]);
    expect(await echoed('bye')).toBe('bye');
  });
});
