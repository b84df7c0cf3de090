// Passphrases of keys. Never an argument, because every process on the machine can read those, and never shown.

import { openSync, readFileSync, writeSync } from 'node:fs';
import { ReadStream } from 'node:tty';

/**
 * Reads a passphrase from a source in the syntax of OpenSSL's `-passin`. For a file or descriptor, it is the first line.
 *
 * @param source `env:NAME`, `file:PATH` or `fd:NUMBER`
 * @throws Error for any other source, without repeating it: it may be the passphrase
 */
export function readPassphrase(source: string): string {
  const [, kind = '', location = ''] = /^(env|file|fd):(.+)$/s.exec(source) ?? [];
  switch (kind) {
    case 'env': {
      const value = process.env[location];
      if (value === undefined)
        throw new Error(`The passphrase is to be in the variable ${location}, which is not set.`);
      return value;
    }
    case 'file':
      return firstLine(location, `the file ${location}`);
    case 'fd':
      if (!/^[1-9]\d{0,3}$/.test(location))
        throw new Error('The descriptor of the passphrase must be a number from 1 on.');
      return firstLine(Number(location), `descriptor ${location}`);
    default:
      throw new Error(
        'The passphrase must be named as env:NAME, file:PATH or fd:NUMBER, and never be an argument itself.',
      );
  }
}

function firstLine(file: string | number, name: string): string {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/, 1)[0] ?? '';
  } catch (error) {
    throw new Error(`The passphrase cannot be read from ${name}.`, { cause: error });
  }
}

const [interrupt, endOfInput, backspace] = ['\u0003', '\u0004', '\u007f'];

/**
 * Asks for a passphrase on the terminal, without echo, wherever standard input and output lead.
 *
 * @throws Error if there is no terminal, or the user interrupts
 */
export async function askPassphrase(question: string): Promise<string> {
  const terminal = openTerminal();
  const input = new ReadStream(terminal);
  try {
    input.setRawMode(true);
    input.setEncoding('utf8');
    writeSync(terminal, question);
    let typed = '';
    for await (const text of input) {
      for (const key of String(text)) {
        if (key === '\r' || key === '\n' || key === endOfInput) return typed;
        if (key === interrupt) throw new Error('No passphrase was given. Nothing was changed.');
        typed = key === backspace ? [...typed].slice(0, -1).join('') : typed + key;
      }
    }
    return typed;
  } finally {
    writeSync(terminal, '\n');
    input.setRawMode(false);
    input.destroy();
  }
}

function openTerminal(): number {
  try {
    return openSync('/dev/tty', 'r+');
  } catch (error) {
    const message =
      'The key has a passphrase, and there is no terminal to ask for it. Say where it is: --passphrase file:PATH, env:NAME or fd:NUMBER.';
    throw new Error(message, { cause: error });
  }
}
