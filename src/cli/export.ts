// `export`: writes configurations for programs that enforce rules without asking this service.

import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { findDoors } from '../areas/https-edges/enforcement-store.ts';
import { findAllowed } from '../areas/ip-restrictions/allowed-store.ts';
import type { HaproxySettings } from '../areas/tls-edges/policy/haproxy.ts';
import { caddyFiles } from '../domain/enforcement/caddy.ts';
import { type DoorsOfEdge, onlyDoor } from '../domain/enforcement/doors.ts';
import type { AllowedAddresses } from '../domain/enforcement/endpoints.ts';
import type { GeneratedFile } from '../domain/enforcement/generated-file.ts';
import { nftablesFiles } from '../domain/enforcement/nftables.ts';
import { nginxFiles } from '../domain/enforcement/nginx.ts';
import { canonicalAddress } from '../domain/ip/cidr.ts';
import { endlessMs } from '../domain/ip/rule-end.ts';
import { isIdOf } from '../domain/values/ids.ts';
import { isServerAddress } from '../domain/values/server-address.ts';
import { sentenceOf } from '../domain/wording.ts';
import type { AccountScope } from '../storage/objects/account-scope.ts';
import { type CommonOptions, document, print, withAccount } from './command.ts';
import { defaultAccountName } from './first-start.ts';
import { writeGeneratedFiles } from './generated-files.ts';
import { OutputError, tell } from './output.ts';
import { catchEndSignals } from './signals.ts';

interface ExportOptions extends CommonOptions {
  account: string;
  out: string;
  reload?: string;
  watch?: true;
  interval: number;
}

/** The result of exporting an account's data. */
interface Exported {
  readonly files: readonly GeneratedFile[];
  /** Sentences that say what the files cannot express. */
  readonly notExpressed: readonly string[];
  /** When the first of the rules ends, in milliseconds since 1970; `endlessMs` if none does. */
  readonly validUntilMs: number;
}

/** Adds the commands that write configurations. */
export function addExportCommands(program: Command): void {
  const group = program
    .command('export')
    .description(
      'Write the configuration of an account, or configurations for programs that enforce rules while the server is not running, too.',
    );

  addHaproxyCommand(group);
  exportCommand(
    group
      .command('nginx')
      .description(
        'Write whom the enforced IP restrictions of type endpoints allow, as a geo variable and an access list.',
      )
      .option('--edge <id>', 'HTTPS edge whose routes to write as well, each with its IP restriction module'),
    'export nginx --account branch-office --out /etc/nginx/sallyport --watch --reload "nginx -s reload"',
    ['sallyport-access.conf', 'sallyport-geo.conf'],
  ).action(({ edge, ...options }: ExportOptions & EdgeOption) =>
    runExport(options, (scope) => exportDoors(scope, edge, ['HttpsEdge'], nginxFiles)),
  );

  exportCommand(
    group
      .command('caddy')
      .description('Write whom the enforced IP restrictions of type endpoints allow, to import into a site.')
      .option('--edge <id>', 'HTTPS edge whose routes to write as well, each with its IP restriction module'),
    'export caddy --edge edghts_01m7... --out /etc/caddy/sallyport --watch --reload "caddy reload"',
    ['sallyport.caddy'],
  ).action(({ edge, ...options }: ExportOptions & EdgeOption) =>
    runExport(options, (scope) => exportDoors(scope, edge, ['HttpsEdge'], caddyFiles)),
  );

  exportCommand(
    group
      .command('nftables')
      .description('Write whom the enforced IP restrictions of type endpoints allow, as sets that guard ports.')
      .option('--edge <id>', 'HTTPS or TLS edge whose IP restriction modules to apply as well')
      .option('--port <number...>', 'ports to guard (default: 443)', collectPort),
    'export nftables --out /etc/nftables.d --port 443 --watch --reload "nft -f /etc/nftables.d/sallyport.nft"',
    ['sallyport.nft'],
  ).action(({ edge, port = [443], ...options }: ExportOptions & EdgeOption & { port?: number[] }) =>
    runExport(options, (scope) =>
      exportDoors(scope, edge, ['HttpsEdge', 'TlsEdge'], (allowed, doors) => nftablesFiles(allowed, doors, port)),
    ),
  );
}

interface EdgeOption {
  edge?: string;
}

/** Exports whom the IP restrictions of type `endpoints` allow, and the doors of an edge if one is named. */
async function exportDoors(
  scope: AccountScope,
  edgeId: string | undefined,
  kinds: readonly (keyof typeof doorsOf)[],
  write: (allowed: AllowedAddresses, edge: DoorsOfEdge | null) => readonly GeneratedFile[],
): Promise<Exported> {
  const edge = edgeId === undefined ? null : await findEdge(scope, edgeId, kinds);
  const allowed = await findAllowed(scope, 'endpoints');
  const validUntilMs = Math.min(allowed.validUntilMs, edge?.validUntilMs ?? endlessMs);
  return { files: write(allowed, edge), notExpressed: edge?.notExpressed ?? [], validUntilMs };
}

/** How the doors of each kind of edge are found; null if there is no such edge. */
const doorsOf = {
  HttpsEdge: { noun: 'HTTPS edge', find: findDoors },
  TlsEdge: {
    noun: 'TLS edge',
    async find(scope: AccountScope, edgeId: string): Promise<DoorsOfEdge | null> {
      // Imported only here, because other commands evaluate no expressions.
      const { readEnforcedEdge } = await import('../areas/tls-edges/enforcement-store.ts');
      const found = await readEnforcedEdge(scope, edgeId);
      if (found === null) return null;
      const { allowedHere, rules, validUntilMs } = found;
      const notExpressed =
        rules.length === 0 ? [] : [`the traffic policy of ${edgeId}; the export for HAProxy has it.`];
      return { edgeId, doors: [onlyDoor(edgeId, allowedHere)], notExpressed, validUntilMs };
    },
  },
} as const;

async function findEdge(
  scope: AccountScope,
  edgeId: string,
  kinds: readonly (keyof typeof doorsOf)[],
): Promise<DoorsOfEdge> {
  const kind = kinds.find((each) => isIdOf(each, edgeId));
  const found = kind === undefined ? null : await doorsOf[kind].find(scope, edgeId);
  if (found !== null) return found;
  throw new Error(`There is no ${kinds.map((each) => doorsOf[each].noun).join(' or ')} ${edgeId} in the account.`);
}

function addHaproxyCommand(group: Command): void {
  exportCommand(
    group
      .command('haproxy')
      .description('Write a TLS edge: its names, its traffic policy, and the IP restrictions of type endpoints.')
      .requiredOption('--edge <id>', 'TLS edge to write')
      .option(
        '--server <host:port>',
        'where to send the connections that may pass (default: the targets of its backend)',
        readServer,
      )
      .option('--listen <address...>', 'addresses to listen on (default: all)', collectAddress)
      .option('--strict', 'write nothing if the policy cannot be expressed as a whole'),
    'export haproxy --edge edgtls_01m7... --out /etc/haproxy/sallyport',
    ['haproxy.cfg', 'restrictions-ipv4.lst'],
  ).action(({ edge, server, listen, strict, ...options }: ExportOptions & HaproxyOptions) => {
    const directory = resolve(options.out);
    if (!/^[\w./-]+$/.test(directory)) throw new Error(`--out must have letters, digits and ./_- only: ${directory}`);
    return runExport(options, async (scope) => {
      // Imported only here, because other commands evaluate no expressions.
      const [{ readEnforcedEdge }, { haproxyFiles }] = await Promise.all([
        import('../areas/tls-edges/enforcement-store.ts'),
        import('../areas/tls-edges/policy/haproxy.ts'),
      ]);
      const found = await readEnforcedEdge(scope, edge);
      if (found === null) throw new Error(`There is no TLS edge ${edge} in the account.`);
      const { name, hostports } = found;
      if (hostports.length === 0) throw new Error(`The TLS edge ${name} has no hostports: nothing reaches it.`);
      const servers = server === undefined ? found.targets : [server];
      if (typeof servers === 'string') {
        throw new Error(
          `Nothing says where the connections of the TLS edge ${name} go. ${servers} Mend that, or name a server: --server 10.0.0.5:443`,
        );
      }
      const allowed = await findAllowed(scope, 'endpoints');
      const made = haproxyFiles({ ...found, allowed }, { directory, listen: listen ?? anyAddress, servers });
      if (strict === true && made.notExpressed.length > 0) {
        throw new Error(`The policy cannot be expressed as a whole: ${made.notExpressed.join(' ')}`);
      }
      return made;
    });
  });
}

type Listen = HaproxySettings['listen'][number];

interface HaproxyOptions {
  edge: string;
  server?: string;
  listen?: Listen[];
  strict?: true;
}

const anyAddress: readonly Listen[] = [
  { address: '0.0.0.0', version: 'ipv4' },
  { address: '::', version: 'ipv6' },
];

function collectAddress(text: string, before: Listen[] = []): Listen[] {
  if (canonicalAddress(text) !== text) throw new InvalidArgumentError('Must be an IPv4 or IPv6 address.');
  return [...before, { address: text, version: text.includes(':') ? 'ipv6' : 'ipv4' }];
}

function readServer(text: string): string {
  if (!isServerAddress(text)) throw new InvalidArgumentError('Must be a host and a port, such as 10.0.0.5:443.');
  return text;
}

function exportCommand(command: Command, example: string, changed: readonly string[]): Command {
  return document(
    command
      .option('--account <id or name>', 'account whose rules to write', defaultAccountName)
      .requiredOption('--out <directory>', 'directory to write to')
      .option('--reload <command>', 'shell command to run after a change')
      .option('--watch', 'keep running, and write again whenever the rules change or end')
      .option('--interval <seconds>', 'how often to look for changes', readInterval, 5),
    { example, json: { export: { directory: '/etc/sallyport', changed, reloaded: true, notExpressed: [] } } },
  );
}

async function runExport(options: ExportOptions, make: (scope: AccountScope) => Promise<Exported>): Promise<void> {
  if (options.watch !== true) {
    await writeOnce(options, make, () => true);
    return;
  }
  const signals = catchEndSignals();
  const ending = new AbortController();
  signals.whenAsked(() => ending.abort());
  // A failure of the first export is the caller's to fix. After a later one, the files stay in force, and the export is retried.
  const intervalMs = options.interval * 1_000;
  let validUntilMs = await writeOnce(options, make, () => true);
  while (!ending.signal.aborted) {
    const untilEndMs = Math.max(0, validUntilMs - Date.now());
    await pause(Math.min(intervalMs, untilEndMs), undefined, { signal: ending.signal }).catch(() => {});
    if (ending.signal.aborted) return;
    // For as long as writing fails, it is tried again at the interval.
    validUntilMs = endlessMs;
    try {
      validUntilMs = await writeOnce(options, make, ({ changed, reloaded }) => changed.length > 0 || reloaded);
    } catch (error) {
      // The files are what is asked of a watch, and they are written before it is said.
      if (error instanceof OutputError) continue;
      tell(`${sentenceOf(error)} The files stay as they are; the next try is in ${options.interval} s.`);
    }
  }
}

/**
 * Writes the files, and returns until when they are true, in milliseconds since 1970. Opens the database each time, because another
 * one may have been restored in its place.
 */
async function writeOnce(
  { account, out, reload, ...options }: ExportOptions,
  make: (scope: AccountScope) => Promise<Exported>,
  isWorthTelling: (report: { changed: readonly string[]; reloaded: boolean }) => boolean,
): Promise<number> {
  const directory = resolve(out);
  const { files, notExpressed, validUntilMs } = await withAccount(account, make);
  const { changed, reloaded } = await writeGeneratedFiles(directory, files, reload ?? null);
  if (!isWorthTelling({ changed, reloaded })) return validUntilMs;
  for (const sentence of notExpressed) tell(`Not expressed: ${sentence}`);
  const state = changed.length === 0 ? `${directory} is up to date.` : `Wrote ${changed.join(', ')} in ${directory}.`;
  await print(options, [reloaded ? `${state} Reloaded.` : state], {
    export: { directory, changed, reloaded, notExpressed },
  });
  return validUntilMs;
}

function collectPort(text: string, before: number[] = []): number[] {
  if (!/^[1-9]\d{0,4}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('Must be from 1 to 65535.');
  return [...before, Number(text)];
}

function readInterval(text: string): number {
  if (!/^\d{1,5}(\.\d+)?$/.test(text) || Number(text) < 0.1) {
    throw new InvalidArgumentError('Must be a number of seconds from 0.1.');
  }
  return Number(text);
}
