// Where the commands for the configuration ask: a server with an API key, or the database, where they act as whoever has it.

import type { Command } from 'commander';
import { withStorage } from '../../cli/command.ts';
import { defaultAccountName } from '../../cli/first-start.ts';
import { everyRight, impliedScopes } from '../../domain/access/key-scopes.ts';
import { SallyportError } from '../../domain/errors.ts';
import { remedies } from '../../domain/remedies.ts';
import { isJsonObject, type JsonObject } from '../../domain/values/json.ts';
import type { Context } from '../../graphql/kit/context.ts';
import { isErrorCode } from '../../graphql/kit/public-errors.ts';
import type { Storage } from '../../storage/storage.ts';
import { commandLine } from '../../storage/trail/origin.ts';

/** Which account is meant, and where it is. */
export interface WhereOptions {
  account: string;
  server?: string;
}

/** Adds the options that say where the account is. */
export function whereOptions(command: Command): Command {
  return command
    .option('--account <id or name>', 'account at the database', defaultAccountName)
    .option('--server <url>', 'ask this server, with the API key in SALLYPORT_API_KEY, instead of the database');
}

/** Asks for a GraphQL document, and returns its data. Throws the first error of the answer. */
type Ask = (text: string, variables: JsonObject) => Promise<JsonObject>;

/** Creates the function that asks where the options say. */
export function createAsk({ server, account }: WhereOptions): Ask {
  return server === undefined ? askDatabase(account) : askServer(server);
}

function askServer(server: string): Ask {
  return async (query, variables) => {
    const key = process.env.SALLYPORT_API_KEY;
    if (key === undefined || key === '') throw new Error('Set SALLYPORT_API_KEY to an API key of the account.');
    const response = await fetch(new URL('/graphql', server), {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    const text = await response.text();
    let answer: unknown;
    try {
      answer = JSON.parse(text);
    } catch {
      throw new Error(`${server} answers with status ${response.status}, and with something else than JSON.`);
    }
    return dataOf(answer);
  };
}

function askDatabase(account: string): Ask {
  return (text, variables) =>
    withStorage(async (storage) => {
      const found = await storage.accounts.find(account);
      if (found === null) {
        throw new Error(`There is no account "${account}". "${remedies.listAccounts}" shows all accounts.`);
      }
      const [{ createExecute }, { parse }] = await Promise.all([
        import('../../graphql/execution/execution.ts'),
        import('graphql'),
      ]);
      const failures: unknown[] = [];
      const execute = createExecute({ report: (_request, error) => failures.push(error), usePlans: true });
      const answer = await execute(parse(text), variables, await contextOf(storage, found.id));
      const [failure] = failures;
      if (failure !== undefined) throw failure;
      return dataOf(JSON.parse(JSON.stringify(answer)));
    });
}

/** Returns the context of a command: it has all rights, and nobody is locked out. */
async function contextOf(storage: Storage, accountId: string): Promise<Context> {
  const { Budget } = await import('../../load/budget.ts');
  const signal = new AbortController().signal;
  const refused = () =>
    Promise.reject(new SallyportError('UNAVAILABLE', 'A command sends no such requests to servers.'));
  let made: ReturnType<typeof reachServers> | undefined;
  const servers = () => {
    made ??= reachServers();
    return made;
  };
  // One id for all events, by which they are one group in the trail.
  const requestId = storage.forAccount(accountId).newId('Request');
  return {
    requestId,
    baseUrl: '',
    identity: {
      actor: commandLine.actor,
      isMember: true,
      accountId,
      scopes: everyRight,
      rights: impliedScopes(everyRight),
      expiresAt: null,
    },
    trace: {
      surface: 'unknown',
      route: null,
      operationName: null,
      accountId,
      errorCode: null,
      ipRestrictions: null,
    },
    clientAddress: null,
    traffic: 'api',
    dashboardSessions: { idleSeconds: 0, look: () => {} },
    refuseLockout: async () => {},
    secondPerson: null,
    noteRefusal: () => {},
    scope: storage.actingFor(accountId, { ...commandLine, requestId }),
    idempotency: null,
    accounts: storage.accounts,
    readActivity: async () => [],
    warningsOf: async () => [],
    service: { version: '', startedAt: new Date(), database: storage.engineTitle, problems: async () => [] },
    examineProvider: async (client) => (await servers()).examine(client),
    outgoing: {
      fetch: refused,
      fetchForPerson: async (...request) => (await servers()).outgoing.fetchForPerson(...request),
      lookUp: refused,
      post: refused,
      mailer: null,
    },
    renewalGraceDays: 0,
    gateRulesFor: async () => null,
    budget: new Budget(false),
    charge: () => {},
    untrustedDocument: false,
    signal: () => signal,
    expectClient: () => {},
    identifyAgain: async () => undefined,
    body: undefined,
  };
}

/** Returns what asks servers of others, as the server would. Few documents need it. */
async function reachServers() {
  const [{ readConfig }, { createOutgoing }, { createOpenIdProviders }] = await Promise.all([
    import('../../config.ts'),
    import('../../outgoing/outgoing.ts'),
    import('../../outgoing/openid-providers.ts'),
  ]);
  const config = readConfig(process.env);
  const outgoing = createOutgoing(config);
  const clock = () => ({ now: new Date(), skewMs: config.clockSkewSeconds * 1000 });
  return { outgoing, examine: createOpenIdProviders({ outgoing, clock }).examine };
}

function dataOf(answer: unknown): JsonObject {
  const { data, errors } = isJsonObject(answer) ? answer : {};
  const [error] = Array.isArray(errors) ? errors : [];
  if (isJsonObject(error)) {
    const { message, extensions } = error;
    const { code, field } = isJsonObject(extensions) ? extensions : {};
    const where = typeof field === 'string' ? { field } : {};
    throw new SallyportError(isErrorCode(code) ? code : 'INTERNAL', String(message).replace(`${field}: `, ''), where);
  }
  return isJsonObject(data) ? data : {};
}
