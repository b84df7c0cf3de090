// The configuration: environment variables in, one frozen object out.

import * as z from 'zod';
import { type KeyAges, usualKeyAges } from './domain/access/key-ages.ts';
import type { SigningAgentSetting } from './domain/access/signing-agents.ts';
import { type RateLimit, readRateLimit } from './domain/concurrency/rate-limit.ts';
import type { Proxies } from './domain/gate/proxies.ts';
import { remedies } from './domain/remedies.ts';
import { clockSkewSeconds } from './domain/saml/times.ts';
import { nearestName } from './domain/values/nearest.ts';
import { messageOf } from './domain/wording.ts';
import { isDnsServer } from './outgoing/names.ts';
import type { OutgoingSettings } from './outgoing/outgoing.ts';
import { otelVariables, readOtel } from './outgoing/shipping/otel-variables.ts';
import type { ShippingSettings } from './outgoing/shipping/receivers.ts';
import {
  entriesOf,
  flag,
  listed,
  networks,
  origin,
  pemFile,
  proxies,
  secretKey,
  secretKeyCommand,
  share,
  shipFile,
  shipSyslog,
  signingAgents,
  smtpFrom,
  smtpUrl,
  token,
  whole,
} from './setting-forms.ts';
import { keyFromCredential } from './storage/keys/outside-key.ts';
import { chooseEngine } from './storage/lifecycle/choose-engine.ts';

const variables = z.object({
  PORT: z
    .string()
    .refine((text) => /^\d{1,5}$/.test(text) && Number(text) <= 65_535, { error: 'must be a port number' })
    .transform(Number)
    .default(4000),
  HOST: z.string().default('127.0.0.1'),
  WORKERS: whole('processes', 1, 64).default(1),
  DATABASE_URL: z
    .string()
    .default('file:./data/sallyport.db')
    .superRefine((url, context) => {
      try {
        chooseEngine(url);
      } catch (error) {
        context.addIssue({ code: 'custom', message: messageOf(error) });
      }
    }),
  BASE_URL: origin.nullable().default(null),
  TRUST_PROXY: proxies.default(0),
  CORS_ORIGINS: listed.pipe(z.array(origin)),
  VERSION_HEADERS: z
    .string()
    .default('Service-Version,Ngrok-Version')
    .transform(entriesOf)
    .pipe(z.array(z.string().regex(/^[\w-]+$/, { error: 'must be header names' })).min(1)),
  BOOTSTRAP_API_KEY: token(20),
  SECRET_KEY: secretKey,
  SECRET_KEY_COMMAND: secretKeyCommand,
  NEW_SECRET_KEY: secretKey,
  NEW_SECRET_KEY_COMMAND: secretKeyCommand,
  METRICS_TOKEN: token(16),
  DRAIN_SECONDS: z.coerce
    .number({ error: 'must be a number of seconds' })
    .min(0, { error: 'must be at least 0' })
    .max(300, { error: 'must be at most 300' })
    .default(0),
  GATE_PROXIES: z
    .string()
    .default('127.0.0.0/8,::1')
    .pipe(
      networks('addresses and ranges such as 10.0.0.5,10.1.0.0/16, or "none"', (given) =>
        given.join() === 'none' ? [] : given.length === 0 ? null : given,
      ),
    ),
  GATE_ALLOW_SEMICOLON: flag.default(false),
  SESSION_SECONDS: whole('seconds', 60, 31_536_000, 'a year').default(2_592_000),
  CLOCK_SKEW_SECONDS: whole('seconds', 0, clockSkewSeconds.max).default(clockSkewSeconds.default),
  DASHBOARD_IDLE_SECONDS: whole('seconds', 60, 86_400, 'a day').default(1_800),
  DASHBOARD_SESSION_SECONDS: whole('seconds', 60, 2_592_000, '30 days').default(43_200),
  SSH_RENEWAL_GRACE: whole('days', 0, 365, 'a year').default(7),
  AUDIT_DAYS: whole('days', 1, 36_500, 'a hundred years').default(400),
  API_KEY_AGE_DAYS: whole('days', 1, 36_500, 'a hundred years').default(usualKeyAges.apiKeyDays),
  AUTHORITY_AGE_DAYS: whole('days', 1, 36_500, 'a hundred years').default(usualKeyAges.authorityDays),
  SECRET_KEY_AGE_DAYS: whole('days', 1, 36_500, 'a hundred years').default(usualKeyAges.secretKeyDays),
  SIGNING_AGENTS: signingAgents,
  OUTGOING_NETWORKS: z.string().default('').pipe(networks('ranges and addresses such as 10.20.0.0/16,fd12:3456::/48')),
  OUTGOING_DNS: listed.pipe(
    z.array(
      z
        .string()
        .refine(isDnsServer, { error: 'must be addresses of DNS servers such as 10.20.0.53 or [fd12:3456::53]:5353' }),
    ),
  ),
  SMTP_URL: smtpUrl,
  SMTP_FROM: smtpFrom,
  TRAIL_SHIP_FILE: shipFile,
  TRAIL_SHIP_FILE_BYTES: whole('bytes', 65_536, 2 ** 40, 'a tebibyte').default(104_857_600),
  TRAIL_SHIP_FILES_KEPT: whole('files', 1, 1_000).default(10),
  TRAIL_SHIP_SYSLOG: shipSyslog,
  TRAIL_SHIP_SYSLOG_CA: pemFile,
  TRAIL_SHIP_GATE_SAMPLE: share.default(0),
  ...otelVariables,
  RATE_LIMIT: z
    .string()
    .transform((text) => readRateLimit(text))
    .refine((limit) => limit !== null, {
      error: 'must be requests and seconds such as 600/60, at most 1000000 requests and 86400 seconds',
    })
    .nullable()
    .default(null),
  COMPILE_DOCUMENTS: flag.default(true),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});

const environment = variables.superRefine((given, context) => {
  for (const name of ['SECRET_KEY', 'NEW_SECRET_KEY'] as const) {
    if (given[name] === null || given[`${name}_COMMAND`] === null) continue;
    context.addIssue({ code: 'custom', path: [`${name}_COMMAND`], message: `must not be set together with ${name}` });
  }
  if ((given.SMTP_URL === null) !== (given.SMTP_FROM === null)) {
    const [set, missing] = given.SMTP_URL === null ? ['SMTP_FROM', 'SMTP_URL'] : ['SMTP_URL', 'SMTP_FROM'];
    context.addIssue({ code: 'custom', path: [set], message: `needs ${missing}, too: mail has a server and a sender` });
  }
  if (given.TRAIL_SHIP_SYSLOG_CA !== null && given.TRAIL_SHIP_SYSLOG?.isTls !== true) {
    const message = 'needs TRAIL_SHIP_SYSLOG, too, with an address that begins with tls://';
    context.addIssue({ code: 'custom', path: ['TRAIL_SHIP_SYSLOG_CA'], message });
  }
  for (const [name, message] of readOtel(given).problems) context.addIssue({ code: 'custom', path: [name], message });
  if (given.WORKERS === 1 || chooseEngine(given.DATABASE_URL).isShared) return;
  const message = 'must be 1 with SQLite, whose file one process serves: see "Several processes" in docs/postgresql.md';
  context.addIssue({ code: 'custom', path: ['WORKERS'], message });
});

/** The configuration of the process. `docs/configuration.md` describes each variable. */
export type Config = OutgoingSettings &
  Readonly<{
    port: number;
    host: string;
    /** How many processes serve the port. */
    workers: number;
    /** Location of the database, for `chooseEngine`. It may contain a password. */
    databaseUrl: string;
    /** Scheme and host for URLs in answers; null to use those of the request. */
    baseUrl: string | null;
    /** Number of chained proxies in front that set `X-Forwarded-*` headers; 0 to ignore these headers. */
    trustProxy: number;
    /** Origins whose pages may call the API. */
    corsOrigins: readonly string[];
    /** Names of the header that carries the version of the REST surface; the first is the recommended one. */
    versionHeaders: readonly string[];
    bootstrapApiKey: string | null;
    /** The key that seals secrets; null to use the key file of the database. */
    secretKey: Uint8Array | null;
    /** Where that key comes from, as messages say it. */
    secretKeySource: string;
    /** The key to change to; only `secret rotate` reads this. */
    newSecretKey: Uint8Array | null;
    /** The token that scrapers of the metrics must send; null to let everybody scrape who can reach the port. */
    metricsToken: string | null;
    /** Seconds to keep listening after the signal to stop, while `/readyz` returns 503. */
    drainSeconds: number;
    gateProxies: Proxies;
    gateAllowSemicolon: boolean;
    /** Maximum lifetime of a user's session at a route, in seconds. */
    sessionSeconds: number;
    /** How far the clocks of identity providers may differ from ours, in seconds. */
    clockSkewSeconds: number;
    /** Idle timeout of a dashboard session, and its maximum lifetime, in seconds. */
    dashboardIdleSeconds: number;
    dashboardSessionSeconds: number;
    signingAgents: readonly SigningAgentSetting[];
    /** Days after a host certificate expires in which its host may still renew it. */
    renewalGraceDays: number;
    /** Days after which audit events are deleted. */
    auditDays: number;
    /** Days after which keys need attention. */
    keyAges: KeyAges;
    /** The rate limit of each API key; null for none. */
    rateLimit: RateLimit | null;
    shipping: ShippingSettings;
    /** Escape hatch: false makes GraphQL.js execute documents instead of plans. The variable's name, `COMPILE_DOCUMENTS`, predates plans. */
    usePlans: boolean;
    logLevel: string;
  }>;

/** Variables that are invalid: a line for each in the message. */
export class ConfigurationError extends Error {}

/**
 * Returns what is wrong with the settings about proxies in front, and what to do; null if nothing is. Only a proxy can serve an
 * https address, because the server itself speaks plain HTTP.
 */
export function proxyProblem({ baseUrl, trustProxy }: Pick<Config, 'baseUrl' | 'trustProxy'>): [string, string] | null {
  if (trustProxy > 0 || !baseUrl?.startsWith('https:')) return null;
  return [
    'BASE_URL is an https address, which only a proxy in front can serve, but TRUST_PROXY is not set: all clients count as one, so that one of them can use up what all may.',
    `Set ${remedies.setTrustProxy} if one proxy sets X-Forwarded-For, or to the number of proxies in a row.`,
  ];
}

/** Returns the secret key and its source. Throws ConfigurationError if the credential of the unit holds none. */
function secretKeyOf(
  given: z.output<typeof variables>,
  credentials: string | undefined,
): Pick<Config, 'secretKey' | 'secretKeySource'> {
  for (const name of ['SECRET_KEY', 'SECRET_KEY_COMMAND'] as const)
    if (given[name] !== null) return { secretKey: given[name], secretKeySource: name };
  try {
    const secretKey = keyFromCredential(credentials);
    return { secretKey, secretKeySource: secretKey === null ? 'the key file' : 'the credential of the unit' };
  } catch (error) {
    throw new ConfigurationError(messageOf(error), { cause: error });
  }
}

/** The names of all variables; a test compares the documentation with them. */
export const variableNames = Object.keys(variables.shape);

/** Returns a sentence about each variable that is none of ours, but whose name is almost one: it has no effect. */
export function misspeltVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(env).flatMap((given) => {
    const meant = nearestName(given, variableNames);
    return meant === null ? [] : [`The variable ${given} is set and has no effect: Sallyport knows ${meant}.`];
  });
}

/**
 * Reads the configuration. An empty variable counts as not set.
 *
 * @throws ConfigurationError that names all invalid variables, and never repeats a value, because it may be a secret
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(variableNames.map((name) => [name, env[name]]).filter(([, value]) => value));
  const { success, data, error } = environment.safeParse(given);
  if (!success) {
    const problems = error.issues.map(
      ({ path, message }) => `  ${path[0] === undefined ? '' : String(path[0])}: ${message}`,
    );
    throw new ConfigurationError(`The configuration is invalid:\n${problems.join('\n')}`);
  }
  return Object.freeze({
    port: data.PORT,
    host: data.HOST,
    workers: data.WORKERS,
    databaseUrl: data.DATABASE_URL,
    baseUrl: data.BASE_URL,
    trustProxy: data.TRUST_PROXY,
    corsOrigins: data.CORS_ORIGINS,
    versionHeaders: data.VERSION_HEADERS,
    bootstrapApiKey: data.BOOTSTRAP_API_KEY,
    ...secretKeyOf(data, env.CREDENTIALS_DIRECTORY),
    newSecretKey: data.NEW_SECRET_KEY ?? data.NEW_SECRET_KEY_COMMAND,
    metricsToken: data.METRICS_TOKEN,
    drainSeconds: data.DRAIN_SECONDS,
    gateProxies: data.GATE_PROXIES,
    gateAllowSemicolon: data.GATE_ALLOW_SEMICOLON,
    sessionSeconds: data.SESSION_SECONDS,
    clockSkewSeconds: data.CLOCK_SKEW_SECONDS,
    dashboardIdleSeconds: data.DASHBOARD_IDLE_SECONDS,
    dashboardSessionSeconds: data.DASHBOARD_SESSION_SECONDS,
    signingAgents: data.SIGNING_AGENTS,
    renewalGraceDays: data.SSH_RENEWAL_GRACE,
    auditDays: data.AUDIT_DAYS,
    keyAges: {
      apiKeyDays: data.API_KEY_AGE_DAYS,
      authorityDays: data.AUTHORITY_AGE_DAYS,
      secretKeyDays: data.SECRET_KEY_AGE_DAYS,
    },
    outgoingNetworks: data.OUTGOING_NETWORKS,
    outgoingDns: data.OUTGOING_DNS,
    smtpUrl: data.SMTP_URL,
    smtpFrom: data.SMTP_FROM,
    shipping: {
      file:
        data.TRAIL_SHIP_FILE === null
          ? null
          : {
              path: data.TRAIL_SHIP_FILE,
              bytesMax: data.TRAIL_SHIP_FILE_BYTES,
              kept: data.TRAIL_SHIP_FILES_KEPT,
            },
      syslog: data.TRAIL_SHIP_SYSLOG && { ...data.TRAIL_SHIP_SYSLOG, ca: data.TRAIL_SHIP_SYSLOG_CA },
      otlp: readOtel(data).settings,
      gateSample: data.TRAIL_SHIP_GATE_SAMPLE,
    },
    rateLimit: data.RATE_LIMIT,
    usePlans: data.COMPILE_DOCUMENTS,
    logLevel: data.LOG_LEVEL,
  });
}
