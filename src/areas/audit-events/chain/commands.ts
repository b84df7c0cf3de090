// `audit verify`, and the export that it can verify.

import { type Command, InvalidArgumentError } from 'commander';
import { type CommonOptions, document, print, withStorage } from '../../../cli/command.ts';
import { defaultAccountName } from '../../../cli/first-start.ts';
import { printLines } from '../../../cli/output.ts';
import { reportingProgress } from '../../../cli/progress.ts';
import { readConfig } from '../../../config.ts';
import { remedies } from '../../../domain/remedies.ts';
import { momentOfId } from '../../../domain/values/ids.ts';
import { formatTimestamp, parseTimestamp } from '../../../domain/values/time.ts';
import { counted, messageOf } from '../../../domain/wording.ts';
import { chooseEngine } from '../../../storage/lifecycle/choose-engine.ts';
import { createServerReads } from '../../../storage/objects/server-scope.ts';
import { createEventReads } from '../../../storage/trail/event-reads.ts';
import type { StoredChain } from './chaining-store.ts';
import { endLine, headLine, linesOf, readCheckpoints, readExport, readKeyFile } from './file-store.ts';
import { chainOf, countUnchained, type MomentReads, readTrailInOrder, verifyTrail } from './reading-store.ts';
import {
  createVerifier,
  type Kept,
  TrailFault,
  type TrailHead,
  type VerifiedTrail,
  type Verifier,
} from './verifying.ts';

interface VerifyOptions extends CommonOptions {
  readonly account: string;
  readonly publicKey?: string;
  readonly checkpoint?: readonly string[];
  readonly restored?: Date;
}

/** What `audit verify` knows besides what was verified. */
interface Circumstances {
  /** Number of events that are not in the chain yet; null if that cannot be told. */
  readonly unchained: number | null;
  /** Whether the public key was given. */
  readonly isTrusted: boolean;
}

/** Adds `audit verify`. */
export function addVerifyCommand(audit: Command): void {
  document(
    audit
      .command('verify [file]')
      .description(
        'Verify the audit events of an account against their hash chain, in the database or in a file of "audit export ' +
          '--verifiable". Names the first event that was changed, moved, removed or put in, and exits with 1. A server may be running.',
      )
      .option('--account <id or name>', 'account whose events to verify in the database', defaultAccountName)
      .option('--public-key <file>', 'the public key that you have kept, in PEM')
      .option('--checkpoint <file...>', 'checkpoints that you have kept, as GET /audit_checkpoints returns them')
      .option(
        '--restored <time>',
        'when the backup was made that was restored: checkpoints from after it may be of events that are gone',
        readTime,
      ),
    {
      example: 'audit verify --account branch-office --checkpoint checkpoint.json',
      json: {
        ok: false,
        fault: { kind: 'changed', eventId: 'evt_01m7...', message: 'The event evt_01m7... was changed.' },
        verified: null,
      },
    },
  ).action(async (file: string | undefined, options: VerifyOptions) => {
    const kept: Kept = {
      key: options.publicKey === undefined ? null : readKeyFile(options.publicKey),
      checkpoints: (options.checkpoint ?? []).flatMap(readCheckpoints),
      restored: options.restored ?? null,
    };
    const begin = (head: TrailHead) => createVerifier(head, kept);
    try {
      const [verified, unchained] =
        file === undefined ? await verifyDatabase(options.account, begin) : [await verifyExport(file, begin), null];
      const isTrusted = kept.key !== null;
      await print(options, linesAbout(verified, { unchained, isTrusted }), {
        ok: true,
        fault: null,
        verified: { ...verified, unchained },
      });
    } catch (error) {
      if (!(error instanceof TrailFault)) throw error;
      const { kind, eventId, message } = error;
      await print(options, [message], { ok: false, fault: { kind, eventId, message }, verified: null });
      process.exitCode = 1;
    }
  });
}

/** Reads a time that somebody has given. */
export function readTime(text: string): Date {
  try {
    return parseTimestamp('time', text);
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error));
  }
}

type Begin = (head: TrailHead) => Verifier;

/** Verifies the trail of an account in the database, as of one moment. */
async function verifyDatabase(account: string, begin: Begin): Promise<[VerifiedTrail, unchained: number]> {
  return atMoment(account, async (moment, chain) => {
    const progress = reportingProgress();
    let done = 0;
    const verified = await verifyTrail(moment, chain, begin(chain), (events) => {
      done += events;
      progress('verified', done / chain.size, counted(chain.size, 'event'));
    });
    return [verified, await countUnchained(moment, chain)];
  });
}

/** Verifies an export. */
async function verifyExport(file: string, begin: Begin): Promise<VerifiedTrail> {
  let verifier: Verifier | null = null;
  for await (const line of readExport(file)) {
    if ('trail' in line) verifier = begin(line.trail);
    else if (verifier === null) throw new Error(`${file} does not begin as "audit export --verifiable" does.`);
    else if ('segment' in line) verifier.segment(line.segment);
    else if ('event' in line) verifier.event(line.event);
    else return verifier.end(line.end);
  }
  throw new TrailFault('chain', null, `${file} is incomplete: its end is missing.`);
}

/** Writes the trail of an account with its chain, so that it can be verified without the database. */
export function exportVerifiable(account: string): Promise<void> {
  return atMoment(account, async (moment, chain) => {
    const progress = reportingProgress();
    let done = 0;
    await printLines([headLine(chain, new Date())]);
    for await (const part of readTrailInOrder(moment, chain)) {
      // Waits for a slow reader, so that a long trail need not fit into memory.
      await printLines(linesOf(part));
      if ('records' in part) done += part.records.length;
      progress('written', done / Math.max(1, chain.size), counted(chain.size, 'event'));
    }
    const { size, checkpoints } = chain;
    await printLines([endLine({ size, checkpoints })]);
  });
}

/** Reads the trail of an account as of one moment, whatever is written meanwhile. */
async function atMoment<T>(
  idOrName: string,
  work: (moment: MomentReads, chain: StoredChain) => Promise<T>,
): Promise<T> {
  const found = await withStorage(({ accounts }) => accounts.find(idOrName));
  if (found === null)
    throw new Error(`There is no account "${idOrName}". "${remedies.listAccounts}" shows all accounts.`);
  const { reading, dialect } = chooseEngine(readConfig(process.env).databaseUrl);
  return reading(async (database) => {
    const moment = { ...createServerReads(database, dialect), events: createEventReads(database, dialect) };
    return work(moment, await chainOf(moment, found.id));
  });
}

function linesAbout(verified: VerifiedTrail, { unchained, isTrusted }: Circumstances): string[] {
  const { events, pruned, checkpoints, lost, unsigned, head, prunedBefore } = verified;
  return [
    `${counted(events, 'event')} are as they were chained, up to ${counted(checkpoints, 'checkpoint')}.`,
    ...(head === '' ? [] : [`head ${head}`]),
    ...(prunedBefore === ''
      ? []
      : [
          `${counted(pruned, 'event')} from before ${formatTimestamp(momentOfId(prunedBefore))} were deleted because of their age.`,
        ]),
    ...(lost === 0
      ? []
      : [`${counted(lost, 'checkpoint')} that you have came after the backup: the events up to there are gone.`]),
    ...(unsigned === 0
      ? []
      : [`${counted(unsigned, 'event')} came after the last checkpoint: nothing has signed them yet.`]),
    ...(unchained ? [`${counted(unchained, 'event')} are not in the chain yet.`] : []),
    ...(isTrusted
      ? []
      : ['The public key is the one that came with the trail. Give the one that you have kept (--public-key).']),
  ];
}
