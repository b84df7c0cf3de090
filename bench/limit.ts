// Opponent (a), the practical limit of one Node process: `node:http` and prepared statements, written by hand for four routes.
// Every write is a transaction of its own, on disk before it is answered. Run with the URL of a database; add the word `audited` to
// have each write store an audit event, too.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { notFound, SallyportError } from '../src/domain/errors.ts';
import { isIdOf } from '../src/domain/values/ids.ts';
import { notesForCreate, notesForUpdate } from '../src/domain/values/text.ts';
import { openStatements, type Row } from './limit-statements.ts';
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

const [, , url = '', audited] = process.argv;
const newEventId = audited === 'audited' ? () => newId('AuditEvent') : null;
const { selectKey, selectOne, selectPage, insert, update } = await openStatements(url, newEventId);

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
  const accountId = await accountOf(readTokenHash(headers.authorization));
  checkVersion(headers);
  const baseUrl = baseUrlOf(headers.host);
  const answerHeaders = commonHeaders(requestId);
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);

  if (path === '/ip_policies' && method === 'GET') {
    const query = new URLSearchParams(mark === -1 ? '' : url.slice(mark));
    const page = readPage(query.get('limit') ?? undefined, query.get('before_id') ?? undefined);
    const rows = await selectPage(accountId, page.beforeId ?? afterAllIds, page.limit + 1);
    send(response, 200, answerHeaders, pageBody(rows.map(policyOf), page, baseUrl));
    return;
  }
  const sendRow = (status: number, [row]: readonly Row[]) => {
    if (row === undefined) throw notFound();
    answerHeaders.ETag = `"${row.version}"`;
    send(response, status, answerHeaders, policyBody(policyOf(row), baseUrl));
  };
  if (path === '/ip_policies' && method === 'POST') {
    const { description, metadata } = notesForCreate(readNotes(await readJson(request)));
    const time = now();
    sendRow(201, await insert(newId('IpPolicy'), accountId, description, metadata, time, time));
    return;
  }
  if (!path.startsWith('/ip_policies/')) throw new SallyportError('UNKNOWN_ROUTE', 'There is no such path.');
  const id = path.slice('/ip_policies/'.length);
  if (!isIdOf('IpPolicy', id)) throw notFound();
  if (method === 'PATCH') {
    const { description, metadata } = notesForUpdate(readNotes(await readJson(request)));
    sendRow(200, await update(description ?? null, metadata ?? null, now(), id, accountId));
    return;
  }
  sendRow(200, await selectOne(id, accountId));
}

/** Returns the time, as both engines store it. */
function now(): string {
  return new Date().toISOString().replace('Z', '+00:00');
}

async function accountOf(tokenHash: string): Promise<string> {
  let accountId = trustedAccounts.get(tokenHash);
  if (accountId === undefined) {
    accountId = (await selectKey(tokenHash))[0]?.accountId;
    if (accountId === undefined) throw unauthenticated();
    trustedAccounts.set(tokenHash, accountId);
  }
  return accountId;
}

function policyOf({ id, createdAt, description, metadata }: Row): Policy {
  return { id, created_at: `${createdAt.slice(0, 10)}T${createdAt.slice(11, 19)}Z`, description, metadata };
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
