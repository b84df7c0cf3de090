// The shipped trail while the server is killed: nothing is lost, and the file has nothing twice.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { command } from './one-process.ts';
import { readyServer, rest } from './support.ts';

test('a server that is killed again and again ships every event, to the file exactly once', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'shipping-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'trail.jsonl');
  const posted: string[] = [];
  const collector = createServer(async (request, answer) => {
    let text = '';
    for await (const piece of request) text += piece;
    const records: { attributes: { value: { stringValue: string } }[] }[] =
      JSON.parse(text).resourceLogs[0].scopeLogs[0].logRecords;
    for (const { attributes } of records) posted.push(attributes[0]?.value.stringValue ?? '');
    // Late enough for the server to be killed before the answer.
    setTimeout(() => answer.end('{}'), 20);
  }).listen(0, '127.0.0.1');
  let syslog = '';
  const logs = createTcpServer((socket) => {
    socket.setEncoding('utf8').on('data', (piece) => {
      syslog += piece;
    });
    socket.on('error', () => {});
  }).listen(0, '127.0.0.1');
  await vi.waitFor(() => expect([collector.listening, logs.listening]).toEqual([true, true]));
  onTestFinished(() => {
    collector.closeAllConnections();
    collector.close();
    logs.close();
  });
  const portOf = (server: { address(): unknown }) => Object(server.address()).port;

  const database = await testDatabase();
  const environment = {
    TRAIL_SHIP_FILE: path,
    TRAIL_SHIP_SYSLOG: `tcp://127.0.0.1:${portOf(logs)}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${portOf(collector)}`,
  };
  let server = await readyServer(database, environment);
  for (let kills = 0; kills < 2; kills += 1) {
    for (let count = 0; count < 30; count += 1)
      expect((await rest(server.url, 'POST', '/ip_policies', {})).status).toBe(201);
    await vi.waitFor(() => expect(readFileSync(path, 'utf8')).not.toBe(''), { timeout: 30_000 });
    server.child.kill('SIGKILL');
    await server.ended;
    server = await readyServer(database, environment);
  }
  const { out } = await command(database, ['audit', 'export']);
  const all = out
    .split('\n')
    .slice(0, -1)
    .map((line): string => JSON.parse(line).id)
    .sort();
  expect(all.length).toBeGreaterThan(60);
  await vi.waitFor(
    () => {
      const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
      expect(lines.map((line) => JSON.parse(line).id).sort()).toEqual(all);
      expect([...new Set(posted)].sort()).toEqual(all);
      expect([...new Set(Array.from(syslog.matchAll(/event_id="(\w+)"/g), ([, id]) => id))].sort()).toEqual(all);
    },
    { timeout: 60_000, interval: 100 },
  );
});
