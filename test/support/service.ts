// A whole service for a test: a real database, the real application on a real port, a fixed clock, and repeatable
// randomness, so that whole answers can be compared.

import { createHash, randomBytes } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, inject, onTestFinished } from 'vitest';
import { unlimited } from '../../src/areas/api-keys/rules.ts';
import { createApiKey } from '../../src/areas/api-keys/store.ts';
import { attentionSources } from '../../src/cli/attention.ts';
import { restorers } from '../../src/cli/restorers.ts';
import { serverUpkeep } from '../../src/cli/upkeep.ts';
import { readProxies } from '../../src/domain/gate/proxies.ts';
import { createMessageClasses } from '../../src/http/express-prototypes.ts';
import { createServer, type ServerDeps } from '../../src/server.ts';
import { chooseEngine } from '../../src/storage/choose-engine.ts';
import { commandLine } from '../../src/storage/origin.ts';
import { openStorage, type Storage, type StorageOptions } from '../../src/storage/storage.ts';
import { makeDatabase, type TestDatabase } from './database.ts';
import { keyFromStock } from './keys.ts';
import { checkExchange } from './openapi.ts';
import { send } from './send.ts';

/** The moment at which every test service starts. Its clock stands still until a test moves it. */
export const startTime = new Date('2026-11-20T21:00:00.500Z');
/** What URLs in answers start with. */
export const baseUrl = 'https://sallyport.test';

/** An answer of the REST surface. `body` is undefined where there is none. */
export interface RestAnswer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare whole bodies, or pick values that a wrong body lacks
  body: any;
}

/** An answer of the GraphQL surface. */
export interface GraphQLAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  data: any;
  errors: { message: string; path?: (string | number)[]; extensions: { code: string; field?: string } }[] | undefined;
}

/** Calls a service as one account. */
export interface Client {
  readonly token: string;
  /**
   * Sends a REST request with the key and the version header; `body` as JSON, or as it is when it is a string. Throws
   * Error when the answer is not what the API description says of the route; what is no route must answer with an error.
   */
  rest(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<RestAnswer>;
  /** Sends a GraphQL request. */
  graphql(query: string, variables?: Record<string, unknown>): Promise<GraphQLAnswer>;
}

/** A running service. As a client, it acts for the account `default`. */
export interface TestService extends Client {
  /** Where it really listens. */
  readonly url: string;
  readonly storage: Storage;
  readonly database: TestDatabase;
  /** Every failure that was reported instead of shown. A test that expects none compares it with `[]`. */
  readonly failures: unknown[];
  /** Every SQL statement that was executed, in order, with its values. */
  readonly statements: string[];
  /** Sets the clock. */
  setTime(time: Date): void;
  /** Makes another account with a key of its own. */
  otherAccount(name: string): Promise<Client>;
  /**
   * Gives the service as a new account meets it, with the clock at its start: for tests that share one service because to
   * start one takes longer than they do. What it calls other accounts is unique, too.
   */
  asNewAccount(): Promise<TestService>;
  close(): Promise<void>;
}

/** Starts a service on a fresh database. */
export async function startService(
  overrides: Partial<ServerDeps> = {},
  storageOverrides: Partial<StorageOptions> = {},
): Promise<TestService> {
  const database = await makeDatabase();
  const service = await serve(database, overrides, storageOverrides);
  return {
    ...service,
    async close() {
      await service.close();
      await database.remove();
    },
  };
}

/**
 * Starts a service for one test, which ends it: for those that compare ids, which only of a service of their own are known, and those
 * that concern what all accounts of a service share, such as its clocks.
 */
export async function ownService(...overrides: Parameters<typeof startService>): Promise<TestService> {
  const service = await startService(...overrides);
  onTestFinished(async () => {
    expect(service.failures).toEqual([]);
    await service.close();
  });
  return service;
}

/**
 * Starts another service on the database of one, as on another machine: its ids are its own. Close it before that one.
 *
 * @param url of the same database, with other parameters
 */
export function startBeside({ database, token }: TestService, url = database.url): Promise<TestService> {
  return serve(
    database,
    { randomBytes },
    { randomBytes, eventRandomBytes: randomBytes, engine: chooseEngine(url) },
    token,
  );
}

async function serve(
  database: TestDatabase,
  overrides: Partial<ServerDeps>,
  storageOverrides: Partial<StorageOptions>,
  token?: string,
): Promise<TestService> {
  let time = startTime;
  const now = () => time;
  const failures: unknown[] = [];
  const statements: string[] = [];
  const randomness = repeatableBytes('storage');
  const events = repeatableBytes('events');
  const open = async () => {
    const storage = await openStorage({
      engine: database.engine,
      now,
      randomBytes: randomness,
      eventRandomBytes: events,
      secretKey: () => repeatableBytes('secret key')(32),
      makePrivateKey: keyFromStock,
      onStatement: (sql) => statements.push(sql),
      areas: serverUpkeep({ auditDays: 400, dashboardIdleSeconds: 1_800 }),
      ...storageOverrides,
    });
    const messages = createMessageClasses();
    const app = createServer({
      restorers,
      attentionSources,
      version: '0.0.0-test',
      messages,
      storage,
      now,
      randomBytes: repeatableBytes('server'),
      reportFailure: (_requestId, error) => failures.push(error),
      baseUrl,
      trustProxy: 0,
      corsOrigins: [],
      gateProxies: readProxies(['127.0.0.1']),
      gateAllowSemicolon: false,
      sessionSeconds: 2_592_000,
      dashboardIdleSeconds: 1_800,
      dashboardSessionSeconds: 43_200,
      dashboard: null,
      renewalGraceDays: 7,
      rateLimit: null,
      usePlans: true,
      versionHeaders: ['Service-Version', 'Ngrok-Version'],
      ...overrides,
    });
    const server = createHttpServer(messages, app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // A listening TCP server has an address with a port.
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const close = async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await storage.close();
    };
    return { storage, url, close };
  };
  const one = await open();
  // Where several servers may share a database, clients ask two in turn.
  const others = inject('engine') === 'postgresql' && token === undefined ? [await open()] : [];
  const { storage, url } = one;
  const otherUrls = others.map((other) => other.url);

  const clientOf = async (name: string): Promise<Client> => {
    const account = await storage.accounts.create(name, commandLine);
    const scope = storage.actingFor(account.id, commandLine);
    const key = await createApiKey(scope, { description: `key of ${name}` }, unlimited);
    return createClient(url, key.token, ...otherUrls);
  };

  let accounts = 0;
  const service: TestService = {
    ...(token === undefined ? await clientOf('default') : createClient(url, token)),
    url,
    storage,
    database,
    failures,
    statements,
    setTime(next) {
      time = next;
    },
    otherAccount: clientOf,
    async asNewAccount() {
      accounts += 1;
      const own = `account ${accounts}`;
      time = startTime;
      return { ...service, ...(await clientOf(own)), otherAccount: (name) => clientOf(`${own}: ${name}`) };
    },
    async close() {
      await Promise.all([one, ...others].map((each) => each.close()));
    },
  };
  return service;
}

/** Gives the id of the account that a client acts for. */
export async function accountOf(client: Pick<Client, 'graphql'>): Promise<string> {
  const { data } = await client.graphql('{ viewer { account { id } } }');
  return data.viewer.account.id;
}

/** The service as it is to clients of only one of its servers, for tests of what a server keeps in memory. */
export function ofOneServer(service: TestService): TestService {
  return { ...service, ...createClient(service.url, service.token) };
}

/**
 * Creates a client of the servers at some URLs. Each request goes to the next of them, but for those that create: their ids come
 * in order only from one server, while the clock stands still.
 */
export function createClient(url: string, token: string, ...others: readonly string[]): Client {
  const urls = [url, ...others];
  let requests = 0;
  const urlFor = (creates: boolean) => {
    requests += 1;
    return urls[creates ? 0 : requests % urls.length] ?? url;
  };
  return {
    token,
    async rest(method, path, body, headers = {}) {
      const { text, ...received } = await send(`${urlFor(method === 'POST')}${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${token}`,
          'Service-Version': '2',
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
      });
      const answer = { ...received, body: text === '' ? undefined : JSON.parse(text) };
      checkExchange({ method, path, ...answer });
      return answer;
    },
    async graphql(query, variables = {}) {
      const { status, text } = await send(`${urlFor(/\bcreate[A-Z]/.test(query))}/graphql`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      });
      // The shape of every answer of the GraphQL surface; what is in `data` depends on the query.
      const { data, errors } = JSON.parse(text) as Omit<GraphQLAnswer, 'status'>;
      return { status, data, errors };
    },
  };
}

/** Creates a source of bytes that gives the same ones in every run. */
export function repeatableBytes(seed: string): (size: number) => Uint8Array {
  let count = 0;
  return (size) => {
    count += 1;
    return createHash('shake256', { outputLength: size }).update(`${seed} ${count}`).digest();
  };
}
