// Opponent (a), the practical limit of one Node process: `node:http` and prepared statements, written by hand for four
// routes. Every write is a transaction of its own, on the disk before it is answered. Run with the path of a database.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Database from 'better-sqlite3';
import { notFound, SallyportError } from '../src/domain/errors.ts';
import { isIdOf } from '../src/domain/ids.ts';
import { notesForCreate, notesForUpdate } from '../src/domain/text.ts';
import {
  announce,
  baseUrlOf,
  checkVersion,
  commonHeaders,
  errorAnswer,
  newId,
  type Policy,
  pageBody,
  policyBody,
  readNotes,
  readPage,
  readTokenHash,
  trustedAccounts,
  unauthenticated,
} from './opponent.ts';

/** A row as it is stored; times are text such as `2027-01-31T09:30:00.000+00:00`. */
interface Row {
  id: string;
  description: string;
  metadata: string;
  version: number;
  createdAt: string;
}

const database = new Database(process.argv[2]);
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
const settings = [database.pragma('journal_mode', { simple: true }), database.pragma('synchronous', { simple: true })];
if (settings.join() !== 'wal,2') throw new Error(`The opponent would not be durable: ${settings.join()}`);

const columns = 'id, description, metadata, version, createdAt';
const selectKey = database.prepare<[string], { accountId: string }>('SELECT accountId FROM ApiKey WHERE tokenHash = ?');
const selectOne = database.prepare<[string, string], Row>(
  `SELECT ${columns} FROM IpPolicy WHERE id = ? AND accountId = ?`,
);
const selectPage = database.prepare<[string, string, number], Row>(
  `SELECT ${columns} FROM IpPolicy WHERE accountId = ? AND id < ? ORDER BY id DESC LIMIT ?`,
);
const insert = database.prepare<[string, string, string, string, string], Row>(
  `INSERT INTO IpPolicy (id, accountId, description, metadata, createdAt) VALUES (?, ?, ?, ?, ?) RETURNING ${columns}`,
);
const update = database.prepare<[string | null, string | null, string, string], Row>(
  `UPDATE IpPolicy SET description = coalesce(?, description), metadata = coalesce(?, metadata), version = version + 1
   WHERE id = ? AND accountId = ? RETURNING ${columns}`,
);

/** Greater than every id: the first page is older than this. */
const afterAllIds = 'ipp_~';
const bodyBytesMax = 1_048_576;

const server = createServer((request, response) => {
  const requestId = newId('Request');
  answer(request, response, requestId).catch((error: unknown) => {
    const { status, body } = errorAnswer(error, requestId);
    send(response, status, commonHeaders(requestId), body);
  });
});

async function answer(request: IncomingMessage, response: ServerResponse, requestId: string): Promise<void> {
  const { method, headers, url = '' } = request;
  const accountId = accountOf(readTokenHash(headers.authorization));
  checkVersion(headers);
  const baseUrl = baseUrlOf(headers.host);
  const answerHeaders = commonHeaders(requestId);
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);

  if (path === '/ip_policies' && method === 'GET') {
    const query = new URLSearchParams(mark === -1 ? '' : url.slice(mark));
    const page = readPage(query.get('limit') ?? undefined, query.get('before_id') ?? undefined);
    const rows = selectPage.all(accountId, page.beforeId ?? afterAllIds, page.limit + 1);
    send(response, 200, answerHeaders, pageBody(rows.map(policyOf), page, baseUrl));
    return;
  }
  const sendRow = (status: number, row: Row) => {
    answerHeaders.ETag = `"${row.version}"`;
    send(response, status, answerHeaders, policyBody(policyOf(row), baseUrl));
  };
  if (path === '/ip_policies' && method === 'POST') {
    const { description, metadata } = notesForCreate(readNotes(await readJson(request)));
    const createdAt = new Date().toISOString().replace('Z', '+00:00');
    sendRow(201, found(insert.get(newId('IpPolicy'), accountId, description, metadata, createdAt)));
    return;
  }
  if (!path.startsWith('/ip_policies/')) throw new SallyportError('UNKNOWN_ROUTE', 'There is no such path.');
  const id = path.slice('/ip_policies/'.length);
  if (!isIdOf('IpPolicy', id)) throw notFound();
  if (method === 'PATCH') {
    const { description, metadata } = notesForUpdate(readNotes(await readJson(request)));
    sendRow(200, found(update.get(description ?? null, metadata ?? null, id, accountId)));
    return;
  }
  sendRow(200, found(selectOne.get(id, accountId)));
}

function accountOf(tokenHash: string): string {
  let accountId = trustedAccounts.get(tokenHash);
  if (accountId === undefined) {
    accountId = selectKey.get(tokenHash)?.accountId;
    if (accountId === undefined) throw unauthenticated();
    trustedAccounts.set(tokenHash, accountId);
  }
  return accountId;
}

function policyOf({ id, createdAt, description, metadata }: Row): Policy {
  return { id, created_at: `${createdAt.slice(0, 19)}Z`, description, metadata };
}

function found(row: Row | undefined): Row {
  if (row === undefined) throw notFound();
  return row;
}

function readJson(request: IncomingMessage): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bodyBytesMax) chunks.push(chunk);
    });
    request.once('error', reject);
    request.once('end', () => {
      try {
        if (bytes > bodyBytesMax) throw new Error('too large');
        resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')));
      } catch {
        reject(new SallyportError('MALFORMED_BODY', 'The body is not valid JSON.'));
      }
    });
  });
}

function send(response: ServerResponse, status: number, headers: Record<string, string>, body: object): void {
  const text = JSON.stringify(body);
  headers['Content-Type'] = 'application/json; charset=utf-8';
  headers['Content-Length'] = String(Buffer.byteLength(text));
  response.writeHead(status, headers).end(text);
}

// A server that listens on TCP has an address with a port.
server.listen(0, '127.0.0.1', () => announce((server.address() as AddressInfo).port));
