// Opponent (b), what most would write: Express and Prisma with its stock adapter, by hand for four routes. Only the settings needed
// for durability and equal answers differ from the defaults. Run with the URL of a database.

import type { AddressInfo } from 'node:net';
import express, { type NextFunction, type Request, type Response } from 'express';
import { notFound, SallyportError } from '../src/domain/errors.ts';
import { notesForCreate, notesForUpdate } from '../src/domain/values/text.ts';
import { formatTimestamp } from '../src/domain/values/time.ts';
import { type IpPolicy, Prisma } from '../src/storage/generated/client/client.ts';
import {
  announce,
  baseUrlOf,
  checkVersion,
  commonHeaders,
  errorAnswer,
  newId,
  pageBody,
  policyBody,
  readNotes,
  readPage,
  readTokenHash,
  trustedAccounts,
  unauthenticated,
} from './opponent.ts';
import { openStockPrisma } from './stock-prisma.ts';

/** A response, with what is known about its request. */
type Reply = Response<unknown, { requestId: string; accountId: string; baseUrl: string }>;

const [, , url = ''] = process.argv;
const prisma = await openStockPrisma(url);

const app = express();
app.disable('x-powered-by');
app.disable('etag');

app.use((_request: Request, response: Reply, next: NextFunction) => {
  response.locals.requestId = newId('Request');
  response.set(commonHeaders(response.locals.requestId));
  next();
});
app.use(async (request: Request, response: Reply, next: NextFunction) => {
  const tokenHash = readTokenHash(request.get('authorization'));
  let accountId = trustedAccounts.get(tokenHash);
  if (accountId === undefined) {
    const key = await prisma.apiKey.findUnique({ where: { tokenHash } });
    if (key === null) throw unauthenticated();
    accountId = key.accountId;
    trustedAccounts.set(tokenHash, accountId);
  }
  checkVersion(request.headers);
  response.locals.accountId = accountId;
  response.locals.baseUrl = baseUrlOf(request.get('host'));
  next();
});
app.use(express.json({ limit: '1mb' }));

app.get('/ip_policies', async (request: Request, response: Reply) => {
  const { accountId, baseUrl } = response.locals;
  const page = readPage(request.query.limit, request.query.before_id);
  const policies = await prisma.ipPolicy.findMany({
    where: { accountId, ...(page.beforeId === undefined ? {} : { id: { lt: page.beforeId } }) },
    orderBy: { id: 'desc' },
    take: page.limit + 1,
  });
  response.json(pageBody(policies.map(policyOf), page, baseUrl));
});

app.get('/ip_policies/:id', async (request: Request<{ id: string }>, response: Reply) => {
  const { accountId } = response.locals;
  const policy = await prisma.ipPolicy.findUnique({ where: { id: request.params.id, accountId } });
  if (policy === null) throw notFound();
  sendPolicy(response, 200, policy);
});

app.post('/ip_policies', async (request: Request, response: Reply) => {
  const { accountId } = response.locals;
  const notes = notesForCreate(readNotes(request.body));
  const now = new Date();
  const policy = await prisma.ipPolicy.create({
    data: { id: newId('IpPolicy'), accountId, ...notes, createdAt: now, updatedAt: now },
  });
  sendPolicy(response, 201, policy);
});

app.patch('/ip_policies/:id', async (request: Request<{ id: string }>, response: Reply) => {
  const { accountId } = response.locals;
  const policy = await prisma.ipPolicy.update({
    where: { id: request.params.id, accountId },
    data: { ...notesForUpdate(readNotes(request.body)), updatedAt: new Date(), version: { increment: 1 } },
  });
  sendPolicy(response, 200, policy);
});

app.use(() => {
  throw new SallyportError('UNKNOWN_ROUTE', 'There is no such path.');
});

// Express recognizes an error handler by its four parameters.
app.use((error: unknown, _request: Request, response: Reply, _next: NextFunction) => {
  const { status, body } = errorAnswer(toSallyportError(error), response.locals.requestId);
  response.status(status).json(body);
});

function policyOf({ id, createdAt, description, metadata }: IpPolicy) {
  return { id, created_at: formatTimestamp(createdAt), description, metadata };
}

function sendPolicy(response: Reply, status: number, policy: IpPolicy): void {
  response
    .status(status)
    .set('ETag', `"${policy.version}"`)
    .json(policyBody(policyOf(policy), response.locals.baseUrl));
}

function toSallyportError(error: unknown): unknown {
  if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2025') return notFound();
  const isBadBody = error instanceof SyntaxError && 'body' in error;
  return isBadBody ? new SallyportError('MALFORMED_BODY', 'The body is not valid JSON.') : error;
}

const server = app.listen(0, '127.0.0.1', () => {
  // A server that listens on TCP has an address with a port.
  announce((server.address() as AddressInfo).port);
});
