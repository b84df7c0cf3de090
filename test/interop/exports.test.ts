// Outside judges: nginx, nftables and HAProxy enforce the exports, and accept and refuse the same clients as our own queries.

import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createServer, connect as netConnect } from 'node:net';
import { join } from 'node:path';
import { connect, createServer as createTlsServer } from 'node:tls';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { haproxyFiles } from '../../src/areas/tls-edges/policy/haproxy.ts';
import type { GeneratedFile } from '../../src/domain/enforcement/generated-file.ts';
import { nftablesFiles } from '../../src/domain/enforcement/nftables.ts';
import { nginxFiles } from '../../src/domain/enforcement/nginx.ts';
import { everybody, isEverybody, passedBy } from '../../src/domain/ip/address-set.ts';
import { covers, parseAddress, readStoredWords, wordsOf } from '../../src/domain/ip/cidr.ts';
import { endlessMs } from '../../src/domain/ip/rule-end.ts';
import { command, commandJson } from '../process/one-process.ts';
import { readyServer, rest, run, start, temporaryDirectory, until } from '../process/support.ts';
import { testDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { makeIdpKey } from '../support/identity-provider.ts';
import { temporaryPaths } from '../support/nginx.ts';

/** Returns whether a program works here; prints a note if it does not. */
function works(command: string, args: readonly string[]): boolean {
  const { status } = spawnSync(command, args, { env: { PATH: `${process.env.PATH}:/usr/sbin:/sbin` } });
  if (status !== 0) process.stderr.write(`Left out, because it does not work here: ${command} ${args.join(' ')}\n`);
  return status === 0;
}

const sbin = { PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
const hasNginx = works('nginx', ['-v']);
const hasHaproxy = works('haproxy', ['-v']);
// In a network namespace of its own, where an ordinary user may set rules.
const hasNftables = works('unshare', ['-rn', 'sh', '-c', 'nft list ruleset && ip link set lo up']);

/** Starts a server with an account; returns functions that call it. */
async function startWorld() {
  const database = await testDatabase();
  const { url } = await readyServer(database);
  const send = async (method: string, to: string, body?: object) => {
    const response = await rest(url, method, to, body);
    expect(response.status).toBeLessThan(300);
    return response.status === 204 ? null : response.json();
  };
  const policyOf = async (...rules: string[]): Promise<string> => {
    const { id } = await send('POST', '/ip_policies', {});
    for (const rule of rules) {
      const [action, cidr] = rule.split(' ');
      await send('POST', '/ip_policy_rules', { ip_policy_id: id, action, cidr });
    }
    return id;
  };
  const restrict = (enforced: boolean, ...ids: string[]) =>
    send('POST', '/ip_restrictions', { type: 'endpoints', enforced, ip_policy_ids: ids });
  const ask = async (query: string, variables = {}) => (await send('POST', '/graphql', { query, variables })).data;
  const isAllowed = async (address: string): Promise<boolean> =>
    (await ask(`{ evaluateIp(address: "${address}", type: endpoints) { allowed } }`)).evaluateIp.allowed;
  return { database, url, send, policyOf, restrict, ask, isAllowed };
}

/** Creates restrictions that let some addresses of this machine pass and refuse others. */
async function restrictSome({ policyOf, restrict }: Awaited<ReturnType<typeof startWorld>>) {
  const wide = await policyOf('allow 127.0.0.0/8', 'allow ::1/128', 'deny 127.0.0.2/32');
  const narrow = await policyOf('allow 127.0.0.0/30', 'allow 127.0.1.0/24', 'allow ::/0', 'deny 127.0.1.128/25');
  await restrict(true, wide);
  await restrict(true, narrow, wide);
  await restrict(false, await policyOf());
}

const addresses = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.1.1', '127.0.1.129', '::1'];

describe('export nginx', () => {
  /** Asks nginx from each address; returns the statuses for each way of including the files. */
  async function statuses(directory: string): Promise<Record<string, number[]>> {
    const home = temporaryDirectory();
    const ports = [await freePort(), await freePort()];
    const listen = (port: number | undefined) => `listen 127.0.0.1:${port}; listen [::1]:${port};`;
    writeFileSync(
      join(home, 'nginx.conf'),
      `daemon off; master_process off; pid ${home}/pid; error_log stderr; events {}
      http { access_log off; ${temporaryPaths(home)} include ${directory}/sallyport-geo.conf;
        server { ${listen(ports[0])} if ($sallyport_allowed = 0) { return 403; } location / { return 204; } }
        server { ${listen(ports[1])} include ${directory}/sallyport-access.conf; location / { root ${home}; } } }`,
    );
    writeFileSync(join(home, 'index.html'), '');
    expect(spawnSync('nginx', ['-t', '-c', join(home, 'nginx.conf')], { env: sbin }).stderr.toString()).toContain(
      'successful',
    );
    const { child, ended } = run('nginx', ['-c', join(home, 'nginx.conf')], sbin);
    const statusFrom = (address: string, port: number | undefined) =>
      new Promise<number>((resolve) => {
        const host = address.includes(':') ? '::1' : '127.0.0.1';
        const asked = request({ host, port, localAddress: address }, (answer) => {
          answer.resume();
          resolve(answer.statusCode ?? 0);
        });
        asked.on('error', () => resolve(0)).end();
      });
    await until(async () => (await statusFrom('127.0.0.1', ports[1])) !== 0);
    const found: Record<string, number[]> = {};
    for (const address of addresses) found[address] = await Promise.all(ports.map((port) => statusFrom(address, port)));
    child.kill('SIGTERM');
    await ended;
    return found;
  }

  test.runIf(hasNginx)('lets in whom evaluateIp lets in, and nobody else', async () => {
    const world = await startWorld();
    const directory = temporaryDirectory();
    const files = ['sallyport-access.conf', 'sallyport-geo.conf'];
    const write = () => commandJson(world.database, ['export', 'nginx', '--out', directory]);
    const report = { directory, changed: files, reloaded: false, notExpressed: [] };
    expect(await write()).toEqual({ export: report });
    expect(readFileSync(join(directory, 'sallyport-geo.conf'), 'utf8')).toContain('everybody is allowed');
    const everyone = await statuses(directory);
    expect(everyone).toEqual(Object.fromEntries(addresses.map((address) => [address, [204, 200]])));

    await restrictSome(world);
    expect(await write()).toEqual({ export: report });
    const some = await statuses(directory);
    for (const address of addresses) {
      expect([address, some[address]]).toEqual([address, (await world.isAllowed(address)) ? [204, 200] : [403, 403]]);
    }
    expect(new Set(Object.values(some).flat())).toEqual(new Set([204, 200, 403]));

    await world.restrict(true, await world.policyOf());
    expect(await write()).toEqual({ export: report });
    expect(readFileSync(join(directory, 'sallyport-access.conf'), 'utf8')).toContain('# Nobody is allowed.');
    expect(await statuses(directory)).toEqual(Object.fromEntries(addresses.map((address) => [address, [403, 403]])));
  });
});

/** Ranges of an IP version by their first addresses, as numbers: first, last, whole, single, and what holds IPv4 addresses. */
const versions = [
  { bits: 32, starts: [0n, 2n ** 32n - 1n, 0x0a000000n, 0x0a000001n, 0x7fffffffn, 0xc0000200n] },
  {
    bits: 128,
    starts: [
      0n,
      1n,
      2n ** 128n - 1n,
      0x20010db8n << 96n,
      // IPv4 addresses in IPv6: mapped (next to them, because rules name them as IPv4), compatible, 6to4 and NAT64.
      0xfffe00000000n,
      0x1000000000000n,
      0xc0000201n,
      0x2002c00002n << 88n,
      (0x64ff9bn << 96n) + 0xc0000200n,
    ],
  },
] as const;

const addressOf = (number: bigint, bits: number) =>
  parseAddress(
    '',
    bits === 32
      ? [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n).join('.')
      : (number.toString(16).padStart(32, '0').match(/.{4}/g) ?? []).join(':'),
  ).toString();

const numberOf = (address: string) =>
  wordsOf(parseAddress('', address)).reduce((number, word) => number * 2n ** 32n + BigInt(word), 0n);

/** An element of a set, as nft lists it. */
type NftElement = string | { prefix: { addr: string; len: number } } | { range: [string, string] };

function isWithin(element: NftElement, address: string): boolean {
  if (typeof element === 'string') return numberOf(element) === numberOf(address);
  if ('prefix' in element)
    return covers(readStoredWords(`${element.prefix.addr}/${element.prefix.len}`), wordsOf(parseAddress('', address)));
  const [first, last] = element.range.map(numberOf);
  return first !== undefined && last !== undefined && first <= numberOf(address) && numberOf(address) <= last;
}

/** A generated rule, and the addresses at its ends and just outside of them. */
const someRule = fc.constantFrom(...versions).chain(({ bits, starts }) =>
  fc
    .record({
      action: fc.constantFrom('allow', 'allow', 'deny'),
      start: fc.constantFrom(...starts),
      prefix: fc.oneof(fc.constantFrom(0, 1, bits - 1, bits, bits), fc.integer({ min: 0, max: bits })),
      // Neighbours of each other.
      by: fc.constantFrom(0n, 0n, 1n, 2n),
    })
    .map(({ action, start, prefix, by }) => {
      const size = 2n ** BigInt(bits - prefix);
      const lowest = ((start / size + by) * size) % 2n ** BigInt(bits);
      const ends = [lowest - 1n, lowest, lowest + size - 1n, lowest + size];
      const range = `${addressOf(lowest, bits)}/${prefix}`;
      return { action, range, ends: ends.filter((end) => end >= 0n && end >> BigInt(bits) === 0n), bits };
    })
    // A rule cannot name mapped addresses as IPv6.
    .filter(({ range, bits }) => range.includes(':') === (bits === 128)),
);

describe('the programs take what can be exported, and decide as the rules do', () => {
  const sets = [
    [],
    ...['0.0.0.0/0', '::/0', '0.0.0.0/1', '255.255.255.255/32', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128'].map(
      (range) => [{ action: 'allow', range, ends: [], bits: 0 }],
    ),
    ...fc.sample(fc.array(someRule, { minLength: 1, maxLength: 8 }), 24),
  ];
  const all = sets.map((rules) => ({
    accountId: 'acct_1',
    enforced: ['ipx_1'],
    leftOut: [],
    set: passedBy(rules),
    validUntilMs: endlessMs,
  }));
  /** What the rules of each set decide about addresses in question. */
  const questions = sets.flatMap((rules, index) => {
    const asked = rules.flatMap(({ ends, bits }) => ends.map((end) => addressOf(end, bits)));
    // Mapped addresses are IPv4 addresses, and no client has the limited broadcast address, which nginx takes for text.
    const addresses = [...new Set([...asked, '192.0.2.1', '2001:db8::1'])].filter((one) => one !== '255.255.255.255');
    return addresses.map((address) => {
      const isIn = (action: string) =>
        rules.some(
          (rule) => rule.action === action && covers(readStoredWords(rule.range), wordsOf(parseAddress('', address))),
        );
      return { place: index, address, allowed: isIn('allow') && !isIn('deny') };
    });
  });
  const expected = questions.map(({ place, address, allowed }) => `${place} ${address} ${allowed}`);
  const write = (files: readonly GeneratedFile[]) => {
    const directory = temporaryDirectory();
    for (const { name, text } of files) writeFileSync(join(directory, name), text);
    return directory;
  };

  test('both are asked for', () => {
    expect(new Set(questions.map(({ allowed }) => allowed)).size).toBe(2);
  });

  test.runIf(hasNginx)('nginx', async () => {
    const home = temporaryDirectory();
    const port = await freePort();
    const servers = all.map((one, index) => {
      const directory = write(nginxFiles(one, null));
      const geo = readFileSync(join(directory, 'sallyport-geo.conf'), 'utf8').replaceAll(
        '_allowed',
        `_allowed${index}`,
      );
      writeFileSync(join(directory, 'sallyport-geo.conf'), geo);
      return `include ${directory}/sallyport-geo.conf;
        server { listen 127.0.0.1:${port}; server_name s${index}; include ${directory}/sallyport-access.conf;
          add_header Geo $sallyport_allowed${index} always; root ${home}; }`;
    });
    writeFileSync(join(home, 'index.html'), '');
    writeFileSync(
      join(home, 'nginx.conf'),
      `daemon off; master_process off; pid ${home}/pid; error_log stderr; events {} http { access_log off; ${temporaryPaths(home)}
        set_real_ip_from 127.0.0.1; real_ip_header X-Real-IP; ${servers.join('\n')} }`,
    );
    const { child, ended, printed } = run('nginx', ['-c', join(home, 'nginx.conf')], sbin);
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    const ask = (place: number, address: string) =>
      new Promise<string>((resolve) => {
        const headers = { Host: `s${place}`, 'X-Real-IP': address };
        const asked = request({ host: '127.0.0.1', port, headers, agent }, (answer) => {
          answer.resume().on('end', () => resolve(`${answer.statusCode} ${answer.headers.geo}`));
        });
        asked.on('error', () => resolve('no answer')).end();
      });
    await until(async () => child.exitCode !== null || (await ask(0, '127.0.0.1')) !== 'no answer');
    const answers = await Promise.all(questions.map(({ place, address }) => ask(place, address)));
    child.kill('SIGTERM');
    await ended;
    agent.destroy();
    expect(printed.errors.match(/\[(warn|emerg|alert|crit)\].*/g)).toBeNull();
    expect(answers.map((answer, at) => `${questions[at]?.place} ${questions[at]?.address} ${answer}`)).toEqual(
      questions.map(({ place, address, allowed }) => `${place} ${address} ${allowed ? '200 1' : '403 0'}`),
    );
  });

  test.runIf(hasNftables)('nftables', () => {
    const texts = all.flatMap((one, index) =>
      nftablesFiles(one, null, [443, 1, 65_535]).map(({ text }) =>
        text.replaceAll(/(?<=table inet )\w+/g, `t${index}`),
      ),
    );
    const home = write([{ name: 'all.nft', text: texts.join('\n') }]);
    const load = ['-rn', 'sh', '-c', 'nft -f "$0" && nft -j list ruleset', join(home, 'all.nft')];
    const { status, stderr, stdout } = spawnSync('unshare', load, { env: sbin });
    expect([stderr.toString(), status]).toEqual(['', 0]);
    const listed: { set?: { table: string; name: string; elem?: NftElement[] } }[] = JSON.parse(
      String(stdout),
    ).nftables;
    const elements = new Map(listed.map(({ set }) => [`${set?.table} ${set?.name}`, set?.elem ?? []]));
    const found = questions.map(({ place, address }) => {
      const name = `t${place} ${address.includes(':') ? 'allowed6' : 'allowed4'}`;
      return `${place} ${address} ${elements.get(name)?.some((element) => isWithin(element, address))}`;
    });
    expect(found).toEqual(expected);
  });

  test.runIf(hasHaproxy)('HAProxy', async () => {
    const home = temporaryDirectory();
    const rules = sets.map((set, index) => {
      const rangesThat = (action: string) => set.filter((rule) => rule.action === action).map(({ range }) => range);
      const config = { allow: rangesThat('allow'), deny: rangesThat('deny') };
      return { path: `inbound[${index}]`, rule: { expressions: [], actions: [{ type: 'restrict-ips', config }] } };
    });
    const listen = [
      { address: '127.0.0.1', version: 'ipv4' },
      { address: '::1', version: 'ipv6' },
    ] as const;
    const allowed = { accountId: 'acct_1', enforced: [], leftOut: [], set: everybody, validUntilMs: endlessMs };
    const port = await freePort();
    const { files } = haproxyFiles(
      {
        edgeId: 'edgtls_1',
        hostports: [`www.example.com:${port}`],
        ipPolicies: new Map(),
        rules,
        allowed,
        validUntilMs: endlessMs,
        allowedHere: null,
      },
      { directory: home, listen, servers: ['127.0.0.1:443'] },
    );
    for (const { name, text } of files) writeFileSync(join(home, name), text);
    const socket = join(home, 'socket');
    writeFileSync(join(home, 'socket.cfg'), `global\n    stats socket ${socket} level admin\n`);
    const { child, ended } = run('haproxy', ['-f', join(home, 'socket.cfg'), '-f', join(home, 'haproxy.cfg')], sbin);
    await until(() => child.exitCode !== null || existsSync(socket));
    /** Runs a command of the running program. */
    const askHaproxy = (text: string) =>
      new Promise<string>((resolve) => {
        let answer = '';
        const connection = netConnect(socket).setEncoding('utf8');
        connection.on('data', (part) => {
          answer += part;
        });
        connection.on('error', () => resolve('')).on('close', () => resolve(answer));
        connection.end(`${text}\n`);
      });
    const found: string[] = [];
    for (const { place, address } of questions) {
      const set = all[place]?.set;
      const version = address.includes(':') ? 'ipv6' : 'ipv4';
      const list = join(home, `inbound-${place}-actions-0-${version}.lst`);
      // Without a list, everybody is let in, or nobody.
      const isIn = existsSync(list)
        ? /match=yes/.test(await askHaproxy(`get acl ${list} ${address}`))
        : set !== undefined && isEverybody(set);
      found.push(`${place} ${address} ${isIn}`);
    }
    child.kill('SIGTERM');
    await ended;
    expect(found).toEqual(expected);
  });
});

describe('export nftables', () => {
  /** Connects from each address to itself, in a separate network namespace with the rules. */
  const probe = `
    const net = require('node:net');
    const [port, ...addresses] = process.argv.slice(1);
    net.createServer((socket) => socket.destroy()).listen(port, '::', async () => {
      const found = await Promise.all(addresses.map((address) => new Promise((resolve) => {
        const host = address.includes(':') ? '::1' : '127.0.0.1';
        const socket = net.connect({ host, port, localAddress: address, timeout: 1_000 });
        const end = (reached) => { socket.destroy(); resolve([address, reached]); };
        socket.on('connect', () => end(true)).on('timeout', () => end(false)).on('error', () => end(false));
      })));
      console.log(JSON.stringify(Object.fromEntries(found)));
      process.exit();
    });`;

  test.runIf(hasNftables)('lets in whom evaluateIp lets in, and guards no other port', async () => {
    const world = await startWorld();
    await restrictSome(world);
    const directory = temporaryDirectory();
    const written = await command(world.database, ['export', 'nftables', '--out', directory, '--port', '443', '8443']);
    expect(written).toEqual({ code: 0, out: `Wrote sallyport.nft in ${directory}.\n`, errors: '' });
    const file = join(directory, 'sallyport.nft');
    const connections = (port: number) => {
      const load = `ip link set lo up && nft -c -f "$0" && nft -f "$0" && nft -f "$0" && "$@"`;
      const command = [process.execPath, '-e', probe, String(port), ...addresses];
      const { stdout, stderr } = spawnSync('unshare', ['-rn', 'sh', '-c', load, file, ...command], { env: sbin });
      expect(stderr.toString()).toBe('');
      return JSON.parse(stdout.toString());
    };
    const expected = await Promise.all(addresses.map(async (address) => [address, await world.isAllowed(address)]));
    expect(connections(8443)).toEqual(Object.fromEntries(expected));
    expect(connections(8444)).toEqual(Object.fromEntries(addresses.map((address) => [address, true])));

    await world.restrict(true, await world.policyOf());
    expect((await command(world.database, ['export', 'nftables', '--out', directory, '--port', '8443'])).code).toBe(0);
    expect(connections(8443)).toEqual(Object.fromEntries(addresses.map((address) => [address, false])));
  });
});

describe('export haproxy', () => {
  test.runIf(hasHaproxy)('lets in whom evaluateTlsPolicy and the restrictions let in', async () => {
    const world = await startWorld();
    const port = await freePort();
    const office = await world.policyOf('allow 127.0.0.0/29', 'deny 127.0.0.4/32', 'allow ::1/128');
    await world.restrict(true, await world.policyOf('allow 127.0.0.0/8', 'allow ::/0', 'deny 127.0.1.129/32'));
    const hostports = ['www.example.com', 'admin.example.com', '*.apps.example.com'].map((host) => `${host}:${port}`);
    const names = [
      'www.example.com',
      'WWW.example.com',
      'admin.example.com',
      'a.apps.example.com',
      'b.apps.example.com',
    ];
    const others = [
      'root.apps.example.com',
      'x.apps.example.com',
      'x-internal.apps.example.com',
      'c.apps.example.com',
      'xx.apps.example.com',
    ];
    const unseen = Array.from({ length: 9 }, (_, index) => `${index}.example.net`);
    const known = [...names.filter((name) => !name.startsWith('WWW')), ...others.slice(0, -1), ...unseen];
    const { id } = await world.send('POST', '/edges/tls', { hostports, description: 'x\n} evil {' });
    await world.send('PUT', `/edges/tls/${id}/policy`, {
      inbound: [
        {
          name: 'admins\nfrontend evil',
          expressions: ["conn.tls.sni in ['admin.example.com', 'root.apps.example.com']"],
          actions: [
            { type: 'log', config: { metadata: { a: 'b' } } },
            { type: 'restrict-ips', config: { ip_policies: [office], deny: ['127.0.0.3/32'] } },
          ],
        },
        {
          expressions: [
            "conn.server_name.startsWith('b.') || conn.tls.sni.endsWith('x.apps.example.com')",
            "!inCidrRanges(conn.client_ip, ['127.0.1.0/24', '::/0', 'nonsense'])",
            `conn.server_port >= ${port}`,
          ],
          actions: [{ type: 'deny' }],
        },
        { expressions: ["conn.geo.country_code == 'AQ'"], actions: [{ type: 'deny' }] },
        { actions: [{ type: 'restrict-ips', config: { enforce: false } }] },
      ],
      outbound: [
        { expressions: ["conn.client_ip == '127.0.0.1'", "conn.tls.sni.contains('c.')"], actions: [{ type: 'deny' }] },
        { expressions: ["conn.tls.sni.contains('-internal')"], actions: [{ type: 'deny' }] },
        // More than fits on one line of HAProxy. Names arrive in lower case.
        { expressions: [`!(conn.tls.sni in ${JSON.stringify(known)})`], actions: [{ type: 'deny' }] },
      ],
    });

    const reached: string[] = [];
    const upstream = createServer((socket) => {
      socket.once('data', () => {
        reached.push('reached');
        socket.destroy();
      });
    });
    await new Promise<void>((resolve) => void upstream.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void upstream.close());
    const target = upstream.address();
    const server = `127.0.0.1:${target !== null && typeof target === 'object' ? target.port : 0}`;
    const directory = temporaryDirectory();
    const args = ['export', 'haproxy', '--edge', id, '--server', server, '--out', directory];
    const { export: report } = await commandJson(world.database, [...args, '--listen', '127.0.0.1', '::1']);
    expect(report).toEqual({
      directory,
      changed: [
        'haproxy.cfg',
        'inbound-0-actions-1-ipv4.lst',
        'inbound-0-actions-1-ipv6.lst',
        'restrictions-ipv4.lst',
        'restrictions-ipv6.lst',
      ],
      reloaded: false,
      notExpressed: [
        'inbound[0].actions[0]: actions of this type (log).',
        'inbound[2]: what an expression checks at position 0.',
        'inbound[3].actions[0]: restrict-ips that only warns.',
      ],
    });
    const config = join(directory, 'haproxy.cfg');
    const texts = readdirSync(directory).map((name) => readFileSync(join(directory, name), 'utf8'));
    expect(texts.filter((text) => text.includes('evil'))).toEqual([]);
    expect(spawnSync('haproxy', ['-c', '-f', config], { env: sbin }).status).toBe(0);
    const strict = await command(world.database, [...args, '--strict']);
    expect([strict.code, strict.errors]).toEqual([
      1,
      expect.stringContaining('cannot be expressed as a whole: inbound[0]'),
    ]);

    const { child, ended } = run('haproxy', ['-f', config], sbin);
    const isReached = async (address: string, servername: string) => {
      reached.length = 0;
      await new Promise<void>((resolve) => {
        const host = address.includes(':') ? '::1' : '127.0.0.1';
        const plain = netConnect({ host, port, localAddress: address });
        plain.on('error', () => {});
        const socket = connect({ socket: plain, servername, rejectUnauthorized: false });
        socket.on('error', () => {}).once('close', () => resolve());
      });
      return reached.length > 0;
    };
    await until(() => isReached('127.0.1.1', 'www.example.com'));
    const found: boolean[] = [];
    for (const servername of [...names, ...others]) {
      const asked = addresses.map((clientIp) => ({
        clientIp,
        serverName: servername,
        variables: { 'conn.server_port': port },
      }));
      const fields = addresses.map(
        (address, index) => `ip${index}: evaluateIp(address: "${address}", type: endpoints) { allowed }
          policy${index}: evaluateTlsPolicy(edge: "${id}", connection: $c${index}) { allowed }`,
      );
      const answer = await world.ask(
        `query (${addresses.map((_, index) => `$c${index}: TlsConnectionInput!`).join(' ')}) { ${fields.join(' ')} }`,
        Object.fromEntries(asked.map((connection, index) => [`c${index}`, connection])),
      );
      for (const [index, address] of addresses.entries()) {
        const expected = answer[`ip${index}`].allowed && answer[`policy${index}`].allowed;
        found.push(await isReached(address, servername));
        expect([servername, address, found.at(-1)]).toEqual([servername, address, expected]);
      }
    }
    expect(new Set(found).size).toBe(2);
    for (const servername of ['example.com', 'a.b.apps.example.com', 'wwwxexample.com', 'apps.example.com', '']) {
      expect([servername, await isReached('127.0.1.1', servername)]).toEqual([servername, false]);
    }
    child.kill('SIGTERM');
    await ended;
  });
});

describe('export haproxy, with the targets of the backend', () => {
  test.runIf(hasHaproxy)('sends connections in turn to the servers that are up, undecrypted', async () => {
    const world = await startWorld();
    const directory = temporaryDirectory();
    const { privateKey, certificatePem: cert } = makeIdpKey();
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
    const { fingerprint256 } = new X509Certificate(cert);
    const serve = async (name: string) => {
      const server = createTlsServer({ key, cert }, (socket) => socket.end(name));
      await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('The server has no port.');
      return { server, target: `127.0.0.1:${address.port}` };
    };
    const [one, other] = [await serve('one'), await serve('other')];
    onTestFinished(() => void other.server.close());
    const port = await freePort();
    const { id } = await world.send('POST', '/edges/tls', {
      hostports: [`www.example.com:${port}`],
      description: 'mail',
    });
    const args = ['export', 'haproxy', '--edge', id, '--out', directory, '--listen', '127.0.0.1'];
    const refusal = async () => {
      const { code, errors } = await command(world.database, args);
      return [code, errors];
    };
    const nothing = 'Nothing says where the connections of the TLS edge "mail" go.';
    const remedy = 'Mend that, or name a server: --server 10.0.0.5:443';
    expect(await refusal()).toEqual([1, `${nothing} It has no backend. ${remedy}\n`]);

    const backend = await world.send('POST', '/backends/tunnel_group', { description: 'web' });
    const set = (enabled: boolean) =>
      world.send('PUT', `/edges/tls/${id}/backend`, { enabled, backend_id: backend.id });
    await set(false);
    expect(await refusal()).toEqual([1, `${nothing} Its backend module is disabled. ${remedy}\n`]);
    await set(true);
    expect(await refusal()).toEqual([1, `${nothing} Its backend "web" has no targets. ${remedy}\n`]);
    const change = (body: object) => world.send('PATCH', `/backends/tunnel_group/${backend.id}`, body);
    await change({ targets: [one.target, other.target], tls: 'none' });
    expect(await refusal()).toEqual([
      1,
      `${nothing} The targets of its backend "web" expect no TLS (\`tls\`: none), and nothing decrypts it before. ${remedy}\n`,
    ]);
    await change({ tls: 'passthrough' });
    expect((await command(world.database, args)).code).toBe(0);

    const { child, ended } = run('haproxy', ['-f', join(directory, 'haproxy.cfg')], sbin);
    /** Connects, and returns what the server says; nothing if none does, or if its certificate is another one. */
    const ask = () =>
      new Promise<string>((resolve) => {
        let said = '';
        const socket = connect({ host: '127.0.0.1', port, servername: 'www.example.com', rejectUnauthorized: false });
        socket.setEncoding('utf8').on('data', (part) => {
          if (socket.getPeerCertificate().fingerprint256 === fingerprint256) said += part;
        });
        socket.on('error', () => {}).once('close', () => resolve(said));
      });
    await until(async () => (await ask()) !== '');
    expect(new Set([await ask(), await ask()])).toEqual(new Set(['one', 'other']));
    // Before HAProxy's next check of the server, too.
    one.server.close();
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(['other', 'other', 'other']);
    child.kill('SIGTERM');
    await ended;
  });
});

describe('haproxyFiles', () => {
  test.runIf(hasHaproxy)('writes no line that is too long for HAProxy, and no value that it takes for a flag', () => {
    const directory = temporaryDirectory();
    const flags = ['-', '--', '-f', '-i', '-internal'];
    const contained = flags.map((text) => `conn.tls.sni.contains('${text}')`);
    const longest = [
      ...contained,
      "inCidrRange(conn.client_ip, '127.0.0.0/8')",
      'conn.client_port >= 1024',
      'conn.server_port < 65535',
      "!(conn.tls.sni in ['-a', '-b'])",
    ];
    const actions = [{ type: 'restrict-ips', config: { allow: ['127.0.0.1/32'] } }];
    const rules = [
      { path: 'inbound[0]', rule: { expressions: longest, actions } },
      { path: 'inbound[1]', rule: { expressions: [...longest, 'conn.client_port < 65535'], actions } },
      ...['startsWith', 'endsWith'].map((name) => ({
        path: `outbound[${name}]`,
        rule: { expressions: [flags.map((text) => `conn.tls.sni.${name}('${text}')`).join('||')], actions },
      })),
    ];
    const edge = { edgeId: 'edgtls_1', hostports: ['www.example.com:443'], ipPolicies: new Map() };
    const allowed = { accountId: 'acct_1', enforced: [], leftOut: [], set: everybody, validUntilMs: endlessMs };
    const { files, notExpressed } = haproxyFiles(
      { ...edge, rules, allowed, allowedHere: null, validUntilMs: endlessMs },
      { directory, listen: [{ address: '127.0.0.1', version: 'ipv4' }], servers: ['127.0.0.1:443'] },
    );
    expect(notExpressed).toEqual(['inbound[1]: a condition that is too long for one line of HAProxy.']);
    for (const { name, text } of files) writeFileSync(join(directory, name), text);
    const lines = files.at(-1)?.text.split('\n') ?? [];
    expect(Math.max(...lines.map((line) => line.trim().split(' ').length))).toBe(64);
    const { status, stderr } = spawnSync('haproxy', ['-c', '-f', join(directory, 'haproxy.cfg')], { env: sbin });
    expect([status, stderr.toString()]).toEqual([0, '']);
  });
});

describe('export --watch', () => {
  test('writes and reloads when the rules change, and only then', async () => {
    const world = await startWorld();
    const directory = temporaryDirectory();
    const reloads = join(temporaryDirectory(), 'reloads');
    writeFileSync(reloads, '');
    const count = () => readFileSync(reloads, 'utf8').length;
    const args = ['export', 'nginx', '--out', directory, '--watch', '--interval', '0.1'];
    const watching = start('cli', [...args, '--reload', `printf x >> ${reloads}`], world.database.environment);
    await until(() => count() === 1);
    const file = join(directory, 'sallyport-access.conf');
    const writtenAt = statSync(file).mtimeMs;
    const policy = await world.policyOf('allow 192.0.2.0/24');
    await world.restrict(true, policy);
    await until(() => count() === 2);
    expect(statSync(file).mtimeMs).toBeGreaterThan(writtenAt);
    expect(readFileSync(file, 'utf8').split('\n').slice(-3)).toEqual(['allow 192.0.2.0/24;', 'deny all;', '']);
    await world.send('PATCH', `/ip_policies/${policy}`, { description: 'changes nothing that is written' });
    // Somebody else's change is undone.
    appendFileSync(file, 'allow all;\n');
    await until(() => count() === 3);
    expect(readFileSync(file, 'utf8')).not.toContain('allow all');
    watching.child.kill('SIGTERM');
    expect(await watching.ended).toBe(0);
    expect(watching.printed.out.match(/Reloaded/g)).toHaveLength(3);
    expect(readdirSync(directory)).toEqual(['sallyport-access.conf', 'sallyport-geo.conf']);
  });

  test('writes again when a rule ends, until when the files say that they are true, however long the interval', async () => {
    const world = await startWorld();
    const directory = temporaryDirectory();
    const policy = await world.policyOf('allow 198.51.100.0/24');
    const end = `${new Date(Date.now() + 15_000).toISOString().slice(0, 19)}Z`;
    const rule = { ip_policy_id: policy, cidr: '192.0.2.0/24', action: 'allow', expires_at: end };
    await world.send('POST', '/ip_policy_rules', rule);
    await world.restrict(true, policy);
    const args = ['export', 'nginx', '--out', directory, '--watch', '--interval', '600'];
    const watching = start('cli', args, world.database.environment);
    const file = join(directory, 'sallyport-access.conf');
    await until(() => existsSync(file));
    const rulesIn = () => readFileSync(file, 'utf8').match(/^(?:# True|allow|deny).*$/gm) ?? [];
    expect(rulesIn()).toEqual([
      `# True until ${end}, when a rule ends: write it again then.`,
      'allow 192.0.2.0/24;',
      'allow 198.51.100.0/24;',
      'deny all;',
    ]);
    await until(() => rulesIn().length === 2);
    expect(rulesIn()).toEqual(['allow 198.51.100.0/24;', 'deny all;']);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(end));
    watching.child.kill('SIGTERM');
    expect(await watching.ended).toBe(0);
  });
});
