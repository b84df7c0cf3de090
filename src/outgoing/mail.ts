// Sends mail through the server of the operator (SMTP_URL). It is loaded with the first mail.

import type { Transporter } from 'nodemailer';
import { createWorkQueue } from '../domain/concurrency/work-queue.ts';
import { SallyportError } from '../domain/errors.ts';

/** What the operator configures about mail; a server without both of the first two sends none. */
export interface MailSettings {
  /** The server that takes mail, with its credentials. */
  readonly smtpUrl?: string | null;
  readonly smtpFrom?: string | null;
  readonly baseUrl?: string | null;
}

/** A mail to one address, as plain text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Identifies the mail, so that one that is sent again can be told; without a host. */
  readonly id: string;
}

export interface Mailer {
  /** The address of this server, for people; null if it is not known. */
  readonly server: string | null;
  /**
   * Hands a mail to the server of the operator; returns the code of its answer, such as 250 or 550. What it says besides is not
   * returned: it may tell of the operator's network.
   *
   * @param owner the id of the account that it is for: accounts take turns
   * @throws OUTGOING_FAILED if the server cannot be reached or does not answer; UNAVAILABLE if too many mails wait
   */
  send(owner: string, mail: Mail): Promise<number>;
}

/** Milliseconds for a connection, its greeting, and between two answers. */
const silenceMsMax = 10_000;

/** Creates the mailer of a process; null if the operator has not set one up. */
export function createMailer({ smtpUrl, smtpFrom, baseUrl = null }: MailSettings): Mailer | null {
  if (!smtpUrl || !smtpFrom) return null;
  const queue = createWorkQueue({ atOnce: 4, atOnceOfOwner: 2, waitingMax: 1_000 });
  const host = smtpFrom.slice(smtpFrom.lastIndexOf('@') + 1).replace(/>.*$/, '');
  let transport: Promise<Transporter> | undefined;
  const connect = async () => {
    const { createTransport } = await import('nodemailer');
    return createTransport({
      url: smtpUrl,
      connectionTimeout: silenceMsMax,
      greetingTimeout: silenceMsMax,
      socketTimeout: silenceMsMax,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  };
  return {
    server: baseUrl,
    send: (owner, { id, to, ...mail }) =>
      queue.run(owner, async () => {
        transport ??= connect();
        try {
          await (await transport).sendMail({
            ...mail,
            from: smtpFrom,
            to: { name: '', address: to },
            messageId: `<${id}@${host}>`,
            headers: { 'Auto-Submitted': 'auto-generated' },
          });
          return 250;
        } catch (error) {
          if (error instanceof Error && 'responseCode' in error && typeof error.responseCode === 'number') {
            return error.responseCode;
          }
          const message = 'The mail server of the operator cannot be reached, or breaks the connection off.';
          throw new SallyportError('OUTGOING_FAILED', message, { cause: error });
        }
      }),
  };
}
