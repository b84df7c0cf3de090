// A complete service for a test: a real database, the real application on a real port, a fixed clock, and repeatable randomness, so
// that whole answers can be compared.

import { createHash, randomBytes } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, inject, onTestFinished } from 'vitest';
import { unlimited } from '../../src/areas/api-keys/rules.ts';
import { createApiKey } from '../../src/areas/api-keys/store.ts';
import { serverUpkeep } from '../../src/cli/upkeep.ts';
import { usualKeyAges } from '../../src/domain/access/key-ages.ts';
import { readProxies } from '../../src/domain/gate/proxies.ts';
import { createOutgoing } from '../../src/outgoing/outgoing.ts';
import { createServer, type ServerDeps } from '../../src/server.ts';
import { checkChange } from '../../src/storage/lifecycle/change-checks.ts';
import { chooseEngine } from '../../src/storage/lifecycle/choose-engine.ts';
import { openStorage, type Storage } from '../../src/storage/storage.ts';
import type { StorageOptions } from '../../src/storage/storage-options.ts';
import { commandLine } from '../../src/storage/trail/origin.ts';
import { createMessageClasses } from '../../src/wire/express-prototypes.ts';
import { makeDatabase, type TestDatabase } from './database.ts';
import { keyFromStock } from './keys.ts';
import { checkExchange } from './openapi.ts';
import { running } from './running.ts';
import { send } from './send.ts';

/** The moment at which every test service starts. Its clock stands still until a test moves it. */
export const startTime = new Date('2026-11-20T21:00:00.500Z');
/** The base of URLs in answers. */
export const baseUrl = 'https://sallyport.test';

/** An answer of the REST surface. `body` is undefined if there is none. */
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
   * Sends a REST request with the key and the version header; `body` is sent as JSON, or unchanged if it is a string. Throws Error
   * if the answer differs from the API description of the route; a request that matches no route must be answered with an error.
   */
  rest(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<RestAnswer>;
  /** Sends a GraphQL request. */
  graphql(query: string, variables?: Record<string, unknown>): Promise<GraphQLAnswer>;
}

/** A running service. As a client, it acts for the account `default`. */
export interface TestService extends Client {
  /** The URL at which it really listens. */
  readonly url: string;
  readonly storage: Storage;
  readonly database: TestDatabase;
  /** Every failure that was reported but not shown to the client. A test that expects none compares it with `[]`. */
  readonly failures: unknown[];
  /** Every SQL statement that was executed, in order, with its values. */
  readonly statements: string[];
  /** Sets the clock. */
  setTime(time: Date): void;
  /** Creates another account, and returns a client with a key of that account. */
  otherAccount(name: string): Promise<Client>;
  /**
   * Returns the service as a new account sees it, with the clock back at `startTime`: for tests that share one service because
   * starting one takes longer than the tests. The names of its other accounts are unique, too.
   */
  asNewAccount(): Promise<TestService>;
  close(): Promise<void>;
}

/** Starts a service on a fresh database. Unless the tests close it themselves, it is closed at the end of their file (`end-of-file.ts`). */
export async function startService(
  overrides: Partial<ServerDeps> = {},
  storageOverrides: Partial<StorageOptions> = {},
): Promise<TestService> {
  const database = await makeDatabase();
  const opened = await serve(database, overrides, storageOverrides);
  const service = {
    ...opened,
    async close() {
      running.delete(service);
      await opened.close();
      await database.remove();
    },
  };
  running.add(service);
  return service;
}

/**
 * Starts a service for one test, and closes it at the end: for tests that compare ids, which are predictable only in a fresh
 * service, and tests of what all accounts of a service share, such as its clocks.
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
 * Starts another service on the database of a running one, as on another machine; its ids are random. Close it before the first
 * one.
 *
 * @param url of the same database, with other parameters
 */
export function startBeside(
  { database, token }: TestService,
  url = database.url,
  overrides: Partial<ServerDeps> = {},
): Promise<TestService> {
  return serve(
    database,
    { randomBytes, ...overrides },
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
  const outgoing = overrides.outgoing ?? createOutgoing({ outgoingNetworks: [], outgoingDns: [] });
  const open = async () => {
    const storage = await openStorage({
      engine: database.engine,
      now,
      randomBytes: randomness,
      eventRandomBytes: events,
      secretKey: () => repeatableBytes('secret key')(32),
      makePrivateKey: keyFromStock,
      onStatement: (sql) => statements.push(sql),
      checkChange,
      // A round of upkeep that a test has not asked for would get among its statements where the test takes longer than a minute.
      upkeepEveryMs: 2 ** 31 - 1,
      areas: await serverUpkeep({
        auditDays: 400,
        dashboardIdleSeconds: 1_800,
        signingAgents: [],
        keyAges: usualKeyAges,
        outgoing,
        receivers: [],
      }),
      ...storageOverrides,
    });
    const messages = createMessageClasses();
    const app = createServer({
      version: '0.0.0-test',
      messages,
      storage,
      outgoing,
      now,
      randomBytes: repeatableBytes('server'),
      reportFailure: (_requestId, error) => failures.push(error),
      baseUrl,
      trustProxy: 0,
      corsOrigins: [],
      gateProxies: readProxies(['127.0.0.1']),
      gateAllowSemicolon: false,
      sessionSeconds: 2_592_000,
      clockSkewSeconds: 60,
      dashboardIdleSeconds: 1_800,
      dashboardSessionSeconds: 43_200,
      dashboard: null,
      renewalGraceDays: 7,
      rateLimit: null,
      usePlans: true,
      versionHeaders: ['Service-Version', 'Ngrok-Version'],
      ...overrides,
    });
    // Only clients end idle connections: `send` after a second. After five seconds, for which a busy machine can hold up this process,
    // the server would end one on which a request has just been sent.
    const server = createHttpServer({ ...messages, keepAliveTimeout: 0 }, app);
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
  // If several servers may share a database, clients ask two of them in turn.
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

/** Returns the id of the account that a client acts for. */
export async function accountOf(client: Pick<Client, 'graphql'>): Promise<string> {
  const { data } = await client.graphql('{ viewer { account { id } } }');
  return data.viewer.account.id;
}

/** Returns the service as clients of only one of its servers see it, for tests of what a server keeps in memory. */
export function ofOneServer(service: TestService): TestService {
  return { ...service, ...createClient(service.url, service.token) };
}

/**
 * Creates a client of the servers at some URLs. Requests go to the servers in turn, except those that create: while the clock
 * stands still, ids are in order only if they come from one server.
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
      // Every answer of the GraphQL surface has this shape; the content of `data` depends on the query.
      const { data, errors } = JSON.parse(text) as Omit<GraphQLAnswer, 'status'>;
      return { status, data, errors };
    },
  };
}

/** Creates a source of bytes that returns the same bytes in every run. */
export function repeatableBytes(seed: string): (size: number) => Uint8Array {
  let count = 0;
  return (size) => {
    count += 1;
    return createHash('shake256', { outputLength: size }).update(`${seed} ${count}`).digest();
  };
}
