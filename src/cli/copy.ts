// `copy`: copies everything from one database into another, of the same or the other engine.

import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { counted, messageOf } from '../domain/wording.ts';
import type { Engine } from '../storage/engine.ts';
import { chooseEngine } from '../storage/lifecycle/choose-engine.ts';
import { copyDatabase } from '../storage/lifecycle/open.ts';
import { type CommonOptions, document, print } from './command.ts';
import { reportingProgress } from './progress.ts';
import { catchEndSignals } from './signals.ts';

const sha256Example = '5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9';

/** Adds the command that copies between databases. */
export function addCopyCommand(program: Command): void {
  document(
    program
      .command('copy')
      .description(
        'Copy everything from one database into an empty one, SQLite or PostgreSQL, and verify it. A server may use the first ' +
          'database meanwhile: what it writes after the copy has begun is not copied. The secret key is not copied either.',
      )
      .requiredOption('--from <url>', 'the database to copy, as in DATABASE_URL')
      .requiredOption('--to <url>', 'the database to fill, without tables or without rows'),
    {
      example: 'copy --from file:/var/lib/sallyport/sallyport.db --to postgresql://sallyport@db.example.com/sallyport',
      json: {
        copy: {
          from: '/var/lib/sallyport/sallyport.db',
          to: 'postgresql://db.example.com/sallyport',
          asOf: '2026-11-20T21:00:00.000Z',
          tables: { Account: { rows: 1, sha256: sha256Example } },
        },
      },
    },
  ).action(async (options: CommonOptions & { readonly from: string; readonly to: string }) => {
    const config = readConfig(process.env);
    const from = engineOf('--from', options.from);
    const to = engineOf('--to', options.to);
    const signals = catchEndSignals();
    const ending = new AbortController();
    signals.whenAsked((signal) => ending.abort(new Error(`Stopped by ${signal}.`)));
    try {
      const report = reportingProgress();
      const { asOf, tables } = await copyDatabase(config, [from, to], {
        signal: ending.signal,
        onProgress: ({ step, done, total }) => report(step, done / total, counted(total, 'row')),
      });
      const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0);
      await print(
        options,
        [
          `Copied ${counted(rows, 'row')} from ${from.name} to ${to.name}, and verified each table:`,
          ...Object.entries(tables).map(([name, table]) => `  ${name}  ${table.rows}  ${table.sha256}`),
          `What was written to ${from.name} after ${asOf.toISOString()} is not in the copy.`,
          'The secret key is not in the copy: start servers on it with the same one.',
        ],
        { copy: { from: from.name, to: to.name, asOf, tables } },
      );
    } finally {
      signals.release();
    }
  });
}

function engineOf(option: string, url: string): Engine {
  try {
    return chooseEngine(url);
  } catch (error) {
    throw new Error(`${option} ${messageOf(error)}`, { cause: error });
  }
}
