// Parsing of pasted lists: one range or address per line, comments after #.

import { rangeOf } from '../../impact/range.ts';

/** A line that names a range. */
export interface PastedLine {
  /** The number of the line, from 1. */
  readonly line: number;
  readonly cidr: string;
  /** The text after #. */
  readonly comment: string;
}

/** Parses a list. Skips empty lines and lines with only a comment. */
export function readPasted(text: string): PastedLine[] {
  return text.split('\n').flatMap((each, index) => {
    const [range = '', ...comments] = each.split('#');
    // Lists copied from source code may have a comma or semicolon at the end of a line.
    const cidr = rangeOf(range.replace(/[\s,;]+$/, ''));
    return cidr === '' ? [] : [{ line: index + 1, cidr, comment: comments.join('#').trim() }];
  });
}

/** Removes lines from a text, by their numbers from 1. */
export function withoutLines(text: string, lines: ReadonlySet<number>): string {
  return text
    .split('\n')
    .filter((_, index) => !lines.has(index + 1))
    .join('\n');
}
