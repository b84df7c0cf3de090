// The forms that settings have, each with what is said of another one. A value is never repeated, because it may be a secret.

import { isAbsolute } from 'node:path';
import * as z from 'zod';
import { readSigningAgent } from './domain/access/signing-agents.ts';
import { readProxies } from './domain/gate/proxies.ts';
import { remedies } from './domain/remedies.ts';
import { messageOf } from './domain/wording.ts';
import { certificatesForm, readCertificates } from './outgoing/shipping/otel-variables.ts';
import { keyFromCommand } from './storage/keys/outside-key.ts';
import { readSecretKey } from './storage/keys/secret-key.ts';

/** Returns the entries of a text that separates them by commas. */
export const entriesOf = (text: string) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** Entries separated by commas; none by default. */
export const listed = z.string().default('').transform(entriesOf);

/** On or off. */
export const flag = z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1');

/** Whether and how many proxies there are in a row. */
export const proxies = z
  .string()
  .regex(/^(true|false|\d)$/, { error: 'must be true, false, or the number of proxies, at most 9' })
  .transform((text) => (text === 'false' ? 0 : text === 'true' ? 1 : Number(text)));

/** A scheme and host. */
export const origin = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text, {
    error: 'must be a scheme and host such as https://sallyport.example.com, without a path or trailing slash',
  });

/** A whole number of a unit, within bounds. `meaning` says what the highest is. */
export const whole = (unit: string, min: number, max: number, meaning?: string) =>
  z.coerce
    .number({ error: `must be a number of ${unit}` })
    .int({ error: `must be a whole number of ${unit}` })
    .min(min, { error: `must be at least ${min}` })
    .max(max, { error: `must be at most ${max}${meaning === undefined ? '' : `, ${meaning}`}` });

/** A secret text that clients send. */
export const token = (min: number) =>
  z
    .string()
    .min(min, { error: `must have at least ${min} characters` })
    .max(512, { error: 'must have at most 512 characters' })
    .regex(/^[\x21-\x7e]+$/, { error: 'must consist of printable ASCII characters without spaces' })
    .nullable()
    .default(null);

export const secretKey = z
  .string()
  .transform((text) => readSecretKey(text))
  .refine((key) => key !== null, {
    error: `must be 32 random bytes in base64 or hexadecimal: ${remedies.makeSecretKey}`,
  })
  .nullable()
  .default(null);

/** Reads ranges and addresses. A mistake is told by the form that is expected, without the value. */
export const networks = (expected: string, read: (given: string[]) => readonly string[] | null = (given) => given) =>
  z.string().transform((text, context) => {
    try {
      const given = read(entriesOf(text));
      if (given !== null) return readProxies(given);
    } catch {
      // Reported below.
    }
    context.addIssue({ code: 'custom', message: `must be ${expected}` });
    return z.NEVER;
  });

export const secretKeyCommand = z
  .string()
  .transform((command, context) => {
    try {
      return keyFromCommand(command);
    } catch (error) {
      context.addIssue({ code: 'custom', message: messageOf(error) });
      return z.NEVER;
    }
  })
  .nullable()
  .default(null);

export const signingAgents = listed.transform((entries, context) => {
  const agents = entries.flatMap((entry) => readSigningAgent(entry) ?? []);
  if (agents.length === entries.length && new Set(agents.map(({ name }) => name)).size === agents.length) return agents;
  const message = 'must be agents with different names, such as hsm@default=/run/sallyport/hsm.sock';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

/** The server that takes mail. It may hold a password, which no message repeats. */
export const smtpUrl = z
  .string()
  .refine((text) => URL.canParse(text) && /^smtps?:$/.test(new URL(text).protocol) && new URL(text).hostname !== '', {
    error: 'must be a mail server such as smtp://user:password@mail.example.com:587 or smtps://mail.example.com',
  })
  .nullable()
  .default(null);

/** The sender of mail: an address, or a name with one. */
export const smtpFrom = z
  .string()
  .regex(/^(?:[^<>"\r\n@]+<)?[^\s<>@,;"]+@[\w.-]+>?$/, {
    error: 'must be the address of a sender such as sallyport@example.com or Sallyport <sallyport@example.com>',
  })
  .nullable()
  .default(null);

export const share = z
  .string()
  .regex(/^(0|1|0?\.\d+)$/, { error: 'must be a number from 0 to 1, such as 0.01' })
  .transform(Number);

export const shipFile = z
  .string()
  .refine(isAbsolute, { error: 'must be an absolute path, such as /var/log/sallyport/trail.jsonl' })
  .nullable()
  .default(null);

export const shipSyslog = z
  .string()
  .transform((text, context) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    const isTls = url?.protocol === 'tls:';
    // The parser of a scheme that it does not know takes any host; a colon in one that is no address would be a port.
    if (url !== null && /^(tls|tcp):\/\/([\w.-]+|\[[\da-fA-F:.]+\])(:\d+)?\/?$/.test(text)) {
      return { host: url.hostname, port: Number(url.port || (isTls ? 6514 : 514)), isTls };
    }
    const message = 'must be tls:// or tcp:// and a host, such as tls://logs.example.com:6514';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .nullable()
  .default(null);

/** A file of certificates; its text. */
export const pemFile = z
  .string()
  .transform((path, context) => {
    const text = readCertificates(path);
    if (text === null) context.addIssue({ code: 'custom', message: certificatesForm });
    return text ?? z.NEVER;
  })
  .nullable()
  .default(null);
