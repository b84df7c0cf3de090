// The configuration: what each variable takes, and how a mistake is told.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { misspeltVariables, proxyProblem, readConfig, variableNames } from '../src/config.ts';
import { isProxy } from '../src/domain/gate/proxies.ts';
import { readNode } from '../src/domain/ip/node-address.ts';

function problems(env: Record<string, string>): string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof Error) return error.message.split('\n');
  }
  return [];
}

test('has a default for every variable, and counts an empty one as not set', () => {
  const defaults = {
    port: 4000,
    host: '127.0.0.1',
    databaseUrl: 'file:./data/sallyport.db',
    baseUrl: null,
    trustProxy: 0,
    corsOrigins: [],
    versionHeaders: ['Service-Version', 'Ngrok-Version'],
    bootstrapApiKey: null,
    logLevel: 'info',
  };
  expect(readConfig({})).toMatchObject(defaults);
  expect(readConfig(Object.fromEntries(variableNames.map((name) => [name, ''])))).toEqual(readConfig({}));
  expect(Object.isFrozen(readConfig({}))).toBe(true);
});

test('lets nobody ask the gate but the machine itself, unless somebody says so', () => {
  const mayAsk = (env: Record<string, string>) =>
    [
      '127.0.0.1',
      '127.255.0.1',
      '::1',
      '::ffff:127.0.0.1',
      '10.0.0.5',
      '192.168.1.1',
      '203.0.113.7',
      '::',
      'fe80::1',
    ].filter((text) => isProxy(readConfig(env).gateProxies, readNode(text) ?? expect.fail()));
  const itself = ['127.0.0.1', '127.255.0.1', '::1', '::ffff:127.0.0.1'];
  expect([mayAsk({}), mayAsk({ GATE_PROXIES: '' })]).toEqual([itself, itself]);
  expect(mayAsk({ GATE_PROXIES: '10.0.0.0/8' })).toEqual(['10.0.0.5']);
  expect(mayAsk({ GATE_PROXIES: 'none' })).toEqual([]);
});

test('reads every variable, and ignores those that are not ours', () => {
  expect(
    readConfig({
      PORT: '8080',
      HOST: '::',
      DATABASE_URL: 'file:/var/lib/x.db',
      BASE_URL: 'https://api.example.com:8443',
      TRUST_PROXY: '2',
      CORS_ORIGINS: 'https://a.example, http://localhost:5173,',
      VERSION_HEADERS: ' X-Version ',
      BOOTSTRAP_API_KEY: 'x'.repeat(20),
      LOG_LEVEL: 'silent',
      NODE_ENV: 'whatever',
    }),
  ).toMatchObject({
    port: 8080,
    host: '::',
    databaseUrl: 'file:/var/lib/x.db',
    baseUrl: 'https://api.example.com:8443',
    trustProxy: 2,
    corsOrigins: ['https://a.example', 'http://localhost:5173'],
    versionHeaders: ['X-Version'],
    bootstrapApiKey: 'x'.repeat(20),
    logLevel: 'silent',
  });
});

test.each([
  ['PROT', 'PORT'],
  ['BASE_URLL', 'BASE_URL'],
  ['BASEURL', 'BASE_URL'],
  ['database_url', 'DATABASE_URL'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['TRUST_PROXIES', null],
  ['TRUSTPROXY', 'TRUST_PROXY'],
])('of a variable %s says what was meant: %s', (given, meant) => {
  const sentence = `The variable ${given} is set and has no effect: Sallyport knows ${meant}.`;
  expect(misspeltVariables({ [given]: 'x', PORT: '1' })).toEqual(meant === null ? [] : [sentence]);
});

test('says nothing of the rest of an environment, however long its names', () => {
  const others =
    'PATH HOME PWD HOSTNAME SHELL USER LANG TERM LS_COLORS PS1 SHLVL MAIL NODE_ENV INIT_CWD http_proxy LC_ALL _ EDITOR';
  const names = [...others.split(' '), ...variableNames, 'X'.repeat(1_000_000), 'DATABASE_PASSWORD', 'KUBERNETES_PORT'];
  expect(misspeltVariables(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual([]);
});

test.each([
  ['/var/lib/x.db', 'is the path of a file, and must begin with "file:", as in file:/var/lib/sallyport/sallyport.db'],
  ['./x', 'is the path of a file, and must begin with "file:", as in file:/var/lib/sallyport/sallyport.db'],
  ['../data/x', 'is the path of a file, and must begin with "file:", as in file:/var/lib/sallyport/sallyport.db'],
  ['x.sqlite3', 'is the path of a file, and must begin with "file:", as in file:/var/lib/sallyport/sallyport.db'],
  ['sqlite:x.db', 'must begin with "file:" instead of "sqlite:", as in file:./data/sallyport.db'],
  ['sqlite3:///x.db', 'must begin with "file:" instead of "sqlite:", as in file:./data/sallyport.db'],
])('says how the file of DATABASE_URL=%s is written', (url, problem) => {
  expect(problems({ DATABASE_URL: url })).toEqual(['The configuration is invalid:', `  DATABASE_URL: ${problem}`]);
});

test.each([
  ['PORT', ['-1', '65536', '1.5', 'http', 'NaN', 'Infinity', ' ', '0x10', '1e3']],
  ['DATABASE_URL', ['mysql://x', 'file:', 'postgresql://u:p@h', 'postgresql://u:p@h/d?sslmode=full', './x.db']],
  [
    'BASE_URL',
    ['api.example.com', 'https://a/', 'https://a/b', 'ftp://a', 'https://u:p@a', 'https://A.example', '//a'],
  ],
  ['TRUST_PROXY', ['yes', 'TRUE', '10', '-1']],
  ['CORS_ORIGINS', ['*', 'null', 'https://a.example/', 'https://a.example,b']],
  ['VERSION_HEADERS', [',', 'a b', 'a:b', 'ok,\u00e4']],
  ['BOOTSTRAP_API_KEY', ['x'.repeat(19), 'x'.repeat(513), `${'x'.repeat(20)} y`, `${'x'.repeat(20)}\u00e4`]],
  ['GATE_PROXIES', [',', 'all', '10.0.0.1/8', '10.1', 'none,::1', '1.2.3.4:80', 'proxy.example']],
  ['GATE_ALLOW_SEMICOLON', ['yes']],
  ['OUTGOING_NETWORKS', ['all', '10.0.0.1/8', '10.1', 'host.example', '1.2.3.4:80']],
  [
    'OUTGOING_DNS',
    ['dns.example', '10.1', '10.0.0.0/8', '"10.0.0.53"', '1.2.3.4:99999', '1.2.3.4:0', '[::1]:0', 'fe80::1%eth0'],
  ],
  ['SMTP_URL', ['mx.internal.example', 'https://mail.example.com', 'smtp:///']],
  ['TRAIL_SHIP_FILE', ['events.log', './events.log']],
  ['TRAIL_SHIP_FILE_BYTES', ['1', '10MB']],
  ['TRAIL_SHIP_FILES_KEPT', ['0', '1001']],
  [
    'TRAIL_SHIP_SYSLOG',
    ['logs.internal.example', 'udp://logs.internal.example', 'tls://', 'tls://a@b', 'tls://a:0x1/path'],
  ],
  ['TRAIL_SHIP_SYSLOG_CA', ['/nowhere/ca.pem', 'package.json']],
  ['TRAIL_SHIP_GATE_SAMPLE', ['2', '-1', '1%', '.']],
  ['SMTP_FROM', ['Mail Bot', 'a@b.example,c@d.example', 'a@b.example\r\nBcc: x@y.example']],
  ['LOG_LEVEL', ['verbose', 'INFO']],
])('refuses a bad %s by its name alone, without the value', (name, values) => {
  for (const value of values) {
    const [title, ...lines] = problems({ [name]: value });
    expect([value, title]).toEqual([value, 'The configuration is invalid:']);
    for (const line of lines) expect(line).toMatch(new RegExp(`^  ${name}: \\S`));
    expect(lines.length).toBeGreaterThan(0);
    if (value.trim().length > 6) expect(lines.join('\n')).not.toContain(value);
  }
});

test('names all bad variables at once', () => {
  const lines = problems({ PORT: 'x', LOG_LEVEL: 'x', TRUST_PROXY: 'x', BASE_URL: 'x' });
  expect(lines.slice(1).map((line) => line.split(':')[0]?.trim())).toEqual([
    'PORT',
    'BASE_URL',
    'TRUST_PROXY',
    'LOG_LEVEL',
  ]);
});

test('an https address without TRUST_PROXY is told, because only a proxy can serve it', () => {
  const problem = (baseUrl: string | null, trustProxy: number) => proxyProblem({ baseUrl, trustProxy })?.[1] ?? null;
  expect(problem('https://login.example.com', 0)).toMatch(/^Set TRUST_PROXY=1/);
  expect([problem('https://login.example.com', 1), problem('http://localhost:4000', 0), problem(null, 0)]).toEqual([
    null,
    null,
    null,
  ]);
});

test('takes the secret key from a command or a credential, and tells what is wrong without repeating what it got', () => {
  const folder = mkdtempSync(join(tmpdir(), 'credentials-'));
  try {
    const key = Buffer.alloc(32, 7);
    const command = `echo ${key.toString('base64')}`;
    expect(readConfig({ SECRET_KEY_COMMAND: command }).secretKey).toEqual(key);
    expect(readConfig({ NEW_SECRET_KEY_COMMAND: `${command} # next` }).newSecretKey).toEqual(key);
    // Each process runs it once.
    const counted = `echo x >> ${folder}/runs; ${command}`;
    for (const _ of [1, 2]) readConfig({ SECRET_KEY_COMMAND: counted });
    expect(readConfig({ SECRET_KEY_COMMAND: `test $(wc -l < ${folder}/runs) = 1 && ${command}` }).secretKey).toEqual(
      key,
    );

    const wrong = (env: Record<string, string>) =>
      problems(env)
        .slice(1)
        .map((line) => line.trim());
    expect(wrong({ SECRET_KEY_COMMAND: 'echo hunter2' })).toEqual([
      'SECRET_KEY_COMMAND: must print 32 random bytes in base64 or hexadecimal, and nothing else',
    ]);
    expect(wrong({ SECRET_KEY_COMMAND: `${command}; exit 3` })).toEqual([
      'SECRET_KEY_COMMAND: must print the key: the command ended with status 3',
    ]);
    expect(wrong({ SECRET_KEY_COMMAND: 'yes' })).toEqual([
      'SECRET_KEY_COMMAND: must print 32 random bytes in base64 or hexadecimal, and nothing else',
    ]);
    expect(wrong({ SECRET_KEY_COMMAND: command, SECRET_KEY: key.toString('hex') })).toEqual([
      'SECRET_KEY_COMMAND: must not be set together with SECRET_KEY',
    ]);

    expect(readConfig({ CREDENTIALS_DIRECTORY: folder }).secretKey).toBeNull();
    writeFileSync(join(folder, 'secret_key'), `${key.toString('hex')}\n`);
    expect(readConfig({ CREDENTIALS_DIRECTORY: folder }).secretKey).toEqual(key);
    const other = Buffer.alloc(32, 9);
    const both = { CREDENTIALS_DIRECTORY: folder, SECRET_KEY: other.toString('hex') };
    expect(readConfig(both).secretKey).toEqual(other);
    writeFileSync(join(folder, 'secret_key'), 'hunter2');
    expect(problems({ CREDENTIALS_DIRECTORY: folder })).toEqual([
      `The credential ${folder}/secret_key must hold 32 random bytes in base64 or hexadecimal.`,
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('ships the trail where the variables of OpenTelemetry say, and leaves them alone where it does not', () => {
  const otlp = (env: Record<string, string>) => readConfig(env).shipping.otlp;
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example.com:4318/base/' };
  expect(otlp({ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20abc, x-tenant = one' })).toEqual({
    url: 'https://collector.example.com:4318/base/v1/logs',
    headers: { authorization: 'Bearer abc', 'x-tenant': 'one' },
    timeoutMs: 10_000,
    ca: null,
    resource: { 'service.name': 'sallyport' },
  });
  const own = {
    OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://10.0.0.1:4318',
    OTEL_EXPORTER_OTLP_LOGS_HEADERS: 'a=b',
    OTEL_EXPORTER_OTLP_HEADERS: 'c=d',
    OTEL_EXPORTER_OTLP_LOGS_TIMEOUT: '500',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'http/json',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,team=on%2Ccall',
    OTEL_SERVICE_NAME: 'gate',
  };
  expect(otlp({ ...endpoint, ...own })).toEqual({
    url: 'http://10.0.0.1:4318/',
    headers: { a: 'b' },
    timeoutMs: 500,
    ca: null,
    resource: { 'service.name': 'gate', team: 'on,call' },
  });
  const ofOthers = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_HEADERS: 'nonsense' };
  const off = [{ OTEL_SDK_DISABLED: 'TRUE' }, { OTEL_LOGS_EXPORTER: 'none' }];
  expect([ofOthers, ...off.map((each) => ({ ...endpoint, ...ofOthers, ...each }))].map(otlp)).toEqual([
    null,
    null,
    null,
  ]);
  const bad = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://user:password@collector.example.com',
    OTEL_EXPORTER_OTLP_HEADERS: 'secret',
    OTEL_EXPORTER_OTLP_TIMEOUT: '10s',
    OTEL_EXPORTER_OTLP_CERTIFICATE: '/nowhere',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_RESOURCE_ATTRIBUTES: 'a=%',
    OTEL_LOGS_EXPORTER: 'console',
  };
  const pairs = 'must be pairs such as key=value,other=value, with values in percent-encoding';
  expect(problems(bad)).toEqual([
    'The configuration is invalid:',
    '  OTEL_EXPORTER_OTLP_PROTOCOL: names a protocol that Sallyport does not speak: set OTEL_EXPORTER_OTLP_LOGS_PROTOCOL=http/json, ' +
      'which collectors take at the port of http/protobuf (4318), or OTEL_LOGS_EXPORTER=none to ship nothing that way',
    '  OTEL_LOGS_EXPORTER: must be otlp or none',
    '  OTEL_EXPORTER_OTLP_ENDPOINT: must be an http or https URL without a password, such as https://collector.example.com:4318',
    `  OTEL_RESOURCE_ATTRIBUTES: ${pairs}`,
    `  OTEL_EXPORTER_OTLP_HEADERS: ${pairs}`,
    '  OTEL_EXPORTER_OTLP_TIMEOUT: must be a number of milliseconds from 1 to 600000',
    '  OTEL_EXPORTER_OTLP_CERTIFICATE: must be a file with certificates in PEM that can be read',
  ]);
  expect(readConfig({ TRAIL_SHIP_SYSLOG: 'tcp://[::1]' }).shipping.syslog).toEqual({
    host: '[::1]',
    port: 514,
    isTls: false,
    ca: null,
  });
});
