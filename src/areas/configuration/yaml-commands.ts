// Documents of the configuration as YAML. Loaded only by the commands that need it.

import { readFileSync, statSync } from 'node:fs';
import { Document, isCollection, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import { isKind, kinds } from '../../domain/values/ids.ts';
import type { JsonObject } from '../../domain/values/json.ts';
import { nounOf } from '../nouns.ts';
import { whyNotConfigured } from './rules.ts';

/** Longest document, in bytes. */
const fileBytesMax = 16 * 2 ** 20;
/** Most nodes that a document repeats by aliases. */
const aliasesMax = 100;

/** A document that was read, with the means to say where in it something is. */
export interface ReadDocument {
  readonly file: string;
  readonly value: unknown;
  /** Returns where what an error names is, as `line:column`: it, or what it would be in; null if that is not there. */
  readonly positionOf: (path: string) => string | null;
}

/** Reads a document. JSON is YAML. Throws Error with line and column for what is not sound YAML, or too much. */
export function readYaml(file: string): ReadDocument {
  const { size } = statSync(file);
  if (size > fileBytesMax) throw new Error(`${file} has ${size} bytes; a document has at most ${fileBytesMax}.`);
  const lineCounter = new LineCounter();
  const parsed = parseDocument(readFileSync(file, 'utf8'), { lineCounter, prettyErrors: false });
  const textOf = (key: unknown) => String(isScalar(key) ? key.value : key);
  const position = (at: number) => {
    const { line, col } = lineCounter.linePos(at);
    return `${line}:${col}`;
  };
  // Unknown tags are only warnings to the parser.
  const [problem] = [...parsed.errors, ...parsed.warnings];
  if (problem !== undefined) throw new Error(`${file}:${position(problem.pos[0])}: ${problem.message}`);
  return {
    file,
    value: parsed.toJS({ maxAliasCount: aliasesMax }),
    positionOf(path) {
      let [node, rest]: [unknown, string] = [parsed.contents, path];
      let found: string | null = null;
      while (rest !== '' && isCollection(node)) {
        // Names can have dots, too.
        const steps = isMap(node) ? node.items.map(({ key }) => textOf(key)) : [/^\d+/.exec(rest)?.[0] ?? ''];
        const [step] = steps
          .filter((one) => one !== '' && rest.startsWith(one) && /^([.[\]]|$)/.test(rest.slice(one.length)))
          .sort((a, b) => b.length - a.length);
        if (step === undefined) break;
        node = node.get(isMap(node) ? step : Number(step), true);
        rest = rest.slice(step.length).replace(/^[.[\]]+/, '');
        if (isNode(node) && node.range != null) found = position(node.range[0]);
      }
      return found;
    },
  };
}

/**
 * Writes a document as YAML, with comments that say what it cannot have.
 *
 * @param server where editors find its JSON Schema; undefined if that is not known
 */
export function writeYaml(document: unknown, left: readonly JsonObject[], server: string | undefined): string {
  const written = new Document(document, { aliasDuplicateObjects: false });
  const missing = left.map(({ path, why }) => ` ${path} ${why}.`);
  written.commentBefore = [
    ...(server === undefined ? [] : [` yaml-language-server: $schema=${new URL('/schema.json', server).href}`]),
    ' The configuration of an account, as it was exported. Applied to another account, it makes that equal to it.',
    ' Keys of authorities and of SAML, and secrets of webhooks, are made anew.',
    ' Not part of it are:',
    ...Object.keys(kinds)
      .filter(isKind)
      .flatMap((kind) => {
        const why = whyNotConfigured(kind);
        return why === null ? [] : [` - ${nounOf(kind)}s: ${why}.`];
      }),
    ...missing,
  ].join('\n');
  return written.toString({ lineWidth: 0 });
}
