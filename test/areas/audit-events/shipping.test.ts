// The trail as the operator has it shipped: to a file, and to receivers that refuse, hang, reject and die.

import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { ship } from '../../../src/areas/audit-events/shipping/shipping-store.ts';
import { shippingUpkeep } from '../../../src/areas/audit-events/shipping/upkeep.ts';
import { createFileReceiver } from '../../../src/outgoing/shipping/file.ts';
import { createOtlpReceiver } from '../../../src/outgoing/shipping/otlp.ts';
import type { Receiver } from '../../../src/outgoing/shipping/receiver.ts';
import { createSyslogReceiver } from '../../../src/outgoing/shipping/syslog.ts';
import { execute } from '../../support/database.ts';
import { startListServer } from '../../support/list-server.ts';
import { accountOf, startBeside, startService, type TestService } from '../../support/service.ts';

let shared: TestService;
let service: TestService;
let accountId: string;
const directory = mkdtempSync(join(tmpdir(), 'shipping-'));
const path = join(directory, 'trail.jsonl');
beforeAll(async () => {
  shared = await startService();
});
afterAll(async () => {
  await shared.close();
  rmSync(directory, { recursive: true });
});
beforeEach(async () => {
  service = await shared.asNewAccount();
  accountId = await accountOf(service);
});

const failures: string[] = [];
const ends: (() => Promise<void>)[] = [];
/** Ships until the returned function is called, or the test ends. */
const shipTo = (receiver: Receiver, { storage }: TestService = service) => {
  const stopping = new AbortController();
  const failed = (error: unknown) => failures.push(error instanceof Error ? error.message : String(error));
  const running = ship(storage.server, receiver, () => new Date(), stopping.signal, failed);
  const stop = async () => {
    stopping.abort();
    await running;
  };
  ends.push(stop);
  return stop;
};
afterEach(async () => {
  for (const stop of ends.splice(0)) await stop();
  failures.length = 0;
});
const waiting = { timeout: 60_000, interval: 20 };

/** Makes policies, and returns the ids of their events. */
const makePolicies = async (count: number): Promise<string[]> => {
  for (let made = 0; made < count; made += 1)
    expect((await service.rest('POST', '/ip_policies', { description: `office ${made}` })).status).toBe(201);
  return idsOfTrail();
};
const idsOfTrail = async () => {
  const rows = await execute(
    service.database,
    `SELECT "id" FROM "AuditEvent" WHERE "accountId" = '${accountId}' ORDER BY "commitOrder", "id"`,
  );
  return rows.map(([id]) => String(id));
};
/** Whatever of a receiver is stored, as doctor tells it. */
const told = async (receiver: Receiver) => {
  const [upkeep] = shippingUpkeep([receiver]);
  const [check] = (await upkeep?.check?.(service.storage.server, new Date())) ?? [];
  return check;
};

describe('a file', () => {
  const file = (bytesMax = 1_000_000, kept = 3) => createFileReceiver({ path, bytesMax, kept }, true);
  const linesIn = (from = path) => readFileSync(from, 'utf8').split('\n').slice(0, -1);
  const ownIds = (lines: readonly string[]) =>
    lines.map((line) => JSON.parse(line)).flatMap((line) => (line.account_id === accountId ? [line.id] : []));

  test('gets every event once and in order, also after a crash that forgot the position and cut a line', async () => {
    const first = await makePolicies(20);
    const stop = shipTo(file());
    await vi.waitFor(() => expect(ownIds(linesIn())).toEqual(first), waiting);
    await stop();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const position = await execute(
      service.database,
      `SELECT "eventId" FROM "TrailPosition" WHERE "accountId" = '${accountId}'`,
    );
    expect(position).toEqual([[first.at(-1)]]);

    await execute(service.database, 'DELETE FROM "TrailPosition"');
    truncateSync(path, statSync(path).size - 30);
    appendFileSync(path, '\u0000\u0000');
    const all = await makePolicies(5);
    shipTo(file());
    await vi.waitFor(() => expect(ownIds(linesIn())).toEqual(all), waiting);
    expect(new Set(linesIn()).size).toBe(linesIn().length);
    expect(failures).toEqual([]);
    // How far it has come is stored a moment later.
    await vi.waitFor(
      async () => expect(await told(file())).toMatchObject({ level: 'ok', name: 'trail to file' }),
      waiting,
    );
  });

  test('gets a trail of many batches once', async () => {
    const { id } = (await service.rest('POST', '/ip_policies', {})).body;
    const rules = Array.from({ length: 900 }, (_, index) => ({
      cidr: `10.${Math.floor(index / 256)}.${index % 256}.0/24`,
      action: 'allow',
    }));
    expect((await service.rest('PUT', `/ip_policies/${id}/rules`, { rules })).status).toBe(200);
    const receiver = createFileReceiver({ path: join(directory, 'long.jsonl'), bytesMax: 10_000_000, kept: 1 }, true);
    shipTo(receiver);
    const all = await idsOfTrail();
    expect(all.length).toBeGreaterThan(900);
    await vi.waitFor(async () => expect((await told(receiver))?.level).toBe('ok'), waiting);
    expect(ownIds(linesIn(join(directory, 'long.jsonl')))).toEqual(all);
  });

  test('is renamed when it is long, with whole lines only, and begun anew when another program has renamed it', async () => {
    shipTo(file(20_000));
    const all = await makePolicies(150);
    const names = [`${path}.3`, `${path}.2`, `${path}.1`, path];
    const lines = () =>
      names.flatMap((name) => {
        try {
          return linesIn(name);
        } catch {
          return [];
        }
      });
    await vi.waitFor(() => expect(ownIds(lines()).slice(-20)).toEqual(all.slice(-20)), waiting);
    expect(statSync(`${path}.1`).size).toBeGreaterThan(0);
    renameSync(path, `${path}.moved`);
    const more = await makePolicies(1);
    await vi.waitFor(() => expect(ownIds(linesIn())).toEqual(more.slice(-1)), waiting);
    expect(failures).toEqual([]);
  });

  test('that cannot be written is told, and gets everything once it can', async () => {
    const late = join(directory, 'later', 'trail.jsonl');
    const receiver = createFileReceiver({ path: late, bytesMax: 1_000_000, kept: 1 }, true);
    const all = await makePolicies(2);
    shipTo(receiver);
    const trouble = /^Nothing has been shipped since .*: .*later\/trail.jsonl cannot be written: ENOENT/;
    await vi.waitFor(async () => expect((await told(receiver))?.message).toMatch(trouble), waiting);
    expect(failures).toHaveLength(1);
    execFileSync('mkdir', [join(directory, 'later')]);
    await vi.waitFor(() => expect(ownIds(linesIn(late))).toEqual(all), waiting);
    await vi.waitFor(async () => expect((await told(receiver))?.level).toBe('ok'), waiting);
  });

  test('gets each event from one of two servers', async () => {
    const beside = await startBeside(service);
    shipTo(file());
    shipTo(file(), beside);
    const all = await makePolicies(20);
    await vi.waitFor(() => expect(ownIds(linesIn())).toEqual(expect.arrayContaining(all.slice(-1))), waiting);
    expect(ownIds(linesIn())).toEqual(all);
    for (const stop of ends.splice(0)) await stop();
    await beside.close();
  });
});

/** On one engine: what receivers do is the same, whatever the events are read from. */
const describeReceiver = describe.runIf(inject('engine') === 'sqlite');

describeReceiver('OTLP', () => {
  let answer: (reply: ServerResponse, ids: readonly string[]) => void;
  const got: string[] = [];
  let url: string;
  let close: () => void;
  beforeAll(async () => {
    ({ url, close } = await startListServer(async (request, reply) => {
      let text = '';
      for await (const piece of request) text += piece;
      const { resourceLogs } = JSON.parse(text);
      const ids: string[] = resourceLogs[0].scopeLogs[0].logRecords.map(
        ({ attributes }: { attributes: { value: { stringValue: string } }[] }) => attributes[0]?.value.stringValue,
      );
      expect(request.headers.authorization).toBe('Bearer secret-of-the-operator');
      answer(reply, ids);
    }));
  });
  afterAll(() => close());
  const take = (reply: ServerResponse, ids: readonly string[], text = '{}') => {
    got.push(...ids);
    reply.writeHead(200, { 'content-type': 'application/json' }).end(text);
  };
  const otlp = (timeoutMs = 5_000) =>
    createOtlpReceiver(
      {
        url: `${url}/v1/logs`,
        headers: { authorization: 'Bearer secret-of-the-operator' },
        timeoutMs,
        ca: null,
        resource: { 'service.name': 'sallyport' },
      },
      '1.0.0',
      () => new Date(),
    );

  test('is sent everything again that was not acknowledged: refused, unanswered, and broken off', async () => {
    const all = await makePolicies(5);
    const troubles = [
      (reply: ServerResponse) => reply.writeHead(503, { 'retry-after': '0' }).end(),
      () => {},
      (reply: ServerResponse) => reply.destroy(),
    ];
    let attempts = 0;
    answer = (reply, ids) => (troubles[attempts++] ?? take)(reply, ids);
    const receiver = otlp(300);
    shipTo(receiver);
    await vi.waitFor(() => expect(got).toEqual(expect.arrayContaining(all)), waiting);
    expect(got.filter((id) => all.includes(id))).toEqual(all);
    expect(failures).toEqual([
      expect.stringMatching(
        /^The trail is not shipped \(otlp\): The receiver at 127\.0\.0\.1:\d+ answered with status 503\.$/,
      ),
    ]);
    await vi.waitFor(async () => expect((await told(receiver))?.level).toBe('ok'), waiting);
  });

  test('tells what it rejects: by a partial success, and a single event that it never takes', async () => {
    const all = await makePolicies(6);
    const [poison = ''] = all.slice(3);
    let isPartial = true;
    answer = (reply, ids) => {
      if (ids.includes(poison)) return reply.writeHead(400).end('Bearer secret-of-the-operator');
      const partial = { rejectedLogRecords: '1', errorMessage: 'too old\nfor Bearer secret-of-the-operator' };
      take(reply, ids, isPartial ? JSON.stringify({ partialSuccess: partial }) : '{}');
      isPartial = false;
    };
    const receiver = otlp();
    shipTo(receiver);
    await vi.waitFor(() => expect(got).toEqual(expect.arrayContaining(all.filter((id) => id !== poison))), waiting);
    expect(failures).toEqual([
      `The receiver of the shipped trail (otlp) has rejected 1 of 2 (${all[0]} to ${all[1]}): too old\\nfor ***`,
      expect.stringContaining(`has rejected 1 of 1 (${poison}): The receiver at 127.0.0.1:`),
    ]);
    await vi.waitFor(
      async () =>
        expect(await told(receiver)).toMatchObject({
          level: 'warn',
          message: expect.stringMatching(
            /^The receiver has rejected events: 2, of which last 1 of 1 \(evt_\w+\): .* status 400\.$/,
          ),
        }),
      waiting,
    );
  });

  test('is not sent again what it has acknowledged, if it fails at a later batch', async () => {
    const { id } = (await service.rest('POST', '/ip_policies', {})).body;
    const rules = Array.from({ length: 300 }, (_, index) => ({
      cidr: `10.${Math.floor(index / 256)}.${index % 256}.0/24`,
      action: 'allow',
    }));
    expect((await service.rest('PUT', `/ip_policies/${id}/rules`, { rules })).status).toBe(200);
    const all = await idsOfTrail();
    let attempts = 0;
    answer = (reply, ids) => (attempts++ === 1 ? reply.writeHead(503).end() : take(reply, ids));
    shipTo(otlp());
    await vi.waitFor(() => expect(got).toEqual(expect.arrayContaining(all)), waiting);
    expect(got.filter((each) => all.includes(each))).toEqual(all);
    expect(failures).toEqual([expect.stringContaining('answered with status 503.')]);
  });
});

describeReceiver('syslog', () => {
  const got: string[] = [];
  const sockets: Socket[] = [];
  const listener = (socket: Socket) => {
    sockets.push(socket);
    let text = '';
    socket.setEncoding('utf8').on('data', (piece) => {
      text += piece;
      for (let found = /^(\d+) /.exec(text); found !== null; found = /^(\d+) /.exec(text)) {
        const [head, length] = found;
        const rest = Buffer.from(text).subarray(head.length);
        if (rest.length < Number(length)) return;
        got.push(rest.toString('utf8', 0, Number(length)));
        text = rest.toString('utf8', Number(length));
      }
    });
    socket.on('error', () => {});
  };
  const portOf = async (server: ReturnType<typeof createTcpServer>) => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  };
  const idsGot = () => got.flatMap((message) => /event_id="(\w+)"/.exec(message)?.[1] ?? []);

  test('over TLS gets whole messages, from a server that its authority vouches for and no other', async () => {
    const pem = (name: string) => join(directory, `${name}.pem`);
    execFileSync('openssl', [
      ...'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost'.split(' '),
      ...['-addext', 'subjectAltName=DNS:localhost', '-keyout', pem('key'), '-out', pem('certificate')],
    ]);
    const certificate = readFileSync(pem('certificate'), 'utf8');
    const server = createTlsServer({ key: readFileSync(pem('key')), cert: certificate }, listener);
    const port = await portOf(server);
    const all = await makePolicies(3);
    const tls = (ca: string | null) => createSyslogReceiver({ host: 'localhost', port, isTls: true, ca });
    const stop = shipTo(tls(null));
    await vi.waitFor(() => expect(failures).toHaveLength(1), waiting);
    expect(failures[0]).toMatch(/cannot be reached, or broke the connection off \(DEPTH_ZERO_SELF_SIGNED_CERT\)/);
    await stop();
    shipTo(tls(certificate));
    await vi.waitFor(() => expect(idsGot()).toEqual(expect.arrayContaining(all)), waiting);
    expect(got.at(-1)).toMatch(
      /^<110>1 \S+ \S+ sallyport \d+ ip_policy\.create \[sallyport@32473 event_id=.*\] .* created IpPolicy/,
    );
    for (const socket of sockets.splice(0)) socket.destroy();
    server.close();
  });

  test('that dies is sent again what it may have lost', async () => {
    const server = createTcpServer(listener);
    const port = await portOf(server);
    const stop = shipTo(createSyslogReceiver({ host: '127.0.0.1', port, isTls: false, ca: null }));
    const first = await makePolicies(3);
    await vi.waitFor(() => expect(idsGot()).toEqual(expect.arrayContaining(first)), waiting);
    // What came in the last seconds counts as lost with the connection.
    got.length = 0;
    for (const socket of sockets.splice(0)) socket.destroy();
    const all = await makePolicies(2);
    await vi.waitFor(() => expect(new Set(idsGot())).toEqual(new Set([...idsGot(), ...all])), waiting);
    expect(failures[0]).toMatch(/^The trail is not shipped \(syslog\): The syslog server 127\.0\.0\.1:\d+ /);

    // A connection that is closed in order leaves nothing in doubt.
    await stop();
    got.length = 0;
    shipTo(createSyslogReceiver({ host: '127.0.0.1', port, isTls: false, ca: null }));
    const more = await makePolicies(1);
    await vi.waitFor(() => expect(idsGot()).toEqual(more.slice(-1)), waiting);
    for (const socket of sockets.splice(0)) socket.destroy();
    server.close();
  });
});
