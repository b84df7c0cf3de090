// What all commands share: the example in the help, `--json`, printing, and opening the database.

import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { remedies } from '../domain/remedies.ts';
import { messageOf } from '../domain/wording.ts';
import { visitDatabase } from '../storage/lifecycle/open.ts';
import { type AccountScope, forced } from '../storage/objects/account-scope.ts';
import type { Storage } from '../storage/storage.ts';
import { commandLine } from '../storage/trail/origin.ts';
import { printLines } from './output.ts';

export interface CommonOptions {
  readonly json?: true;
}

/** What the documentation contains about a command beyond its help. */
export interface Documented {
  /** An example call, without the name of the program. */
  readonly example: string;
  /** What `--json` prints: the shape of every result. Null for a command without results, which does not take `--json`. */
  readonly json: object | null;
}

const documented = new WeakMap<Command, Documented>();

/** Adds `--json` and an example to a command. */
export function document(command: Command, documentation: Documented): Command {
  documented.set(command, documentation);
  if (documentation.json !== null) command.option('--json', 'print one JSON document, for scripts');
  return command.addHelpText('after', `\nExample:\n  $ sallyport ${documentation.example}`);
}

/** Returns what `document` was given for a command; undefined for a group of commands. */
export function documentationOf(command: Command): Documented | undefined {
  return documented.get(command);
}

/** Prints the result of a command: lines for people, or one JSON document for scripts. Throws OutputError. */
export function print({ json }: CommonOptions, lines: readonly string[], value: object): Promise<void> {
  return printLines(json ? [JSON.stringify(value)] : lines);
}

/**
 * Prints a result with a secret that cannot be shown again.
 *
 * @param secret what was made, with its id, and what takes it back
 * @throws Error that says so if the output cannot be written: nobody has the secret then, but it is valid
 */
export async function printSecret(
  secret: { readonly made: string; readonly undo: string },
  ...result: Parameters<typeof print>
): Promise<void> {
  try {
    await print(...result);
  } catch (error) {
    const lost = `${secret.made} was made, and its secret is lost. Take it back: ${secret.undo}`;
    throw new Error(`${messageOf(error)} ${lost}`, { cause: error });
  }
}

/** Does short work on the database. A server may be running at the same time. */
export async function withStorage<T>(work: (storage: Storage) => Promise<T>): Promise<T> {
  const storage = await visitDatabase(readConfig(process.env));
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}

/** Adds the option that makes the change of a command even if it breaks an expectation: `force` of `withAccount`. */
export function forceOption(command: Command): Command {
  return command.option('--force', 'make the change even if it breaks an expectation');
}

/** Does short work on the data of one account. With `force`, its changes are stored even if they break an expectation. */
export function withAccount<T>(idOrName: string, work: (scope: AccountScope) => Promise<T>, force = false): Promise<T> {
  return withStorage(async (storage) => {
    const found = await storage.accounts.find(idOrName);
    if (found === null)
      throw new Error(`There is no account "${idOrName}". "${remedies.listAccounts}" shows all accounts.`);
    const scope = storage.actingFor(found.id, commandLine);
    return work(force ? forced(scope) : scope);
  });
}
