// How messages look to people: in the chats of Slack, Teams and ntfy, and in mail. Pure. Only text without any markup is sent, because
// descriptions may say anything.

import { truncateText } from '../../domain/values/text.ts';
import { called, type Nameable } from '../../domain/wording.ts';

/** The formats of messages to servers. */
export const webhookFormats = ['standard', 'slack', 'teams', 'ntfy'] as const;
export type WebhookFormat = (typeof webhookFormats)[number];

/** Most characters of what is said about one thing. */
const sentenceMax = 500;

/** What a person reads of a message. */
interface Said {
  readonly title: string;
  readonly lines: readonly string[];
  readonly severity: string | null;
}

/** Says in words what a message tells, from its standard form. */
function say(body: string): Said {
  const { type, data } = JSON.parse(body);
  const text = (value: unknown) => truncateText(String(value ?? '').replace(/\s+/g, ' '), sentenceMax);
  const [subject, action] = String(type).split('.');
  if (type === 'ping') return { title: 'This message tries a webhook.', lines: [], severity: null };
  if (type === 'attention.digest') {
    const items: readonly { readonly message: string; readonly at: string }[] = data.items;
    const lines = items.map(({ message, at }) => `${at}: ${text(message)}`);
    return { title: `Due within a week: ${items.length}`, lines, severity: null };
  }
  if (subject === 'attention') {
    const title = action === 'begin' ? `Needs attention (${data.severity})` : 'No longer needs attention';
    return { title: `${title}: ${text(data.message)}`, lines: [], severity: action === 'begin' ? data.severity : null };
  }
  const named = text(data.state?.description);
  const what = text(String(subject).replaceAll('_', ' '));
  const who = text(data.actor_description) || text(data.actor);
  const name = named === '' ? '' : ` "${named}"`;
  const title = `${what.charAt(0).toUpperCase()}${what.slice(1)}${name} (${data.object_id}) was ${past[String(action)] ?? action} by ${who}`;
  return { title, lines: [], severity: null };
}

const past: Readonly<Record<string, string>> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  refuse: 'refused',
};

/** Returns what is posted, and where, of a message in its standard form. */
export function shaped(
  format: WebhookFormat,
  url: string,
  body: string,
): { readonly url: string; readonly body: string } {
  if (format === 'standard') return { url, body };
  const { title, lines, severity } = say(body);
  const text = [title, ...lines].join('\n');
  switch (format) {
    case 'slack': {
      // These three characters begin links and mentions.
      const escaped = text.replace(/[&<>]/g, (character) => slackEntities[character] ?? '');
      return { url, body: JSON.stringify({ text: escaped, mrkdwn: false, unfurl_links: false, unfurl_media: false }) };
    }
    case 'teams': {
      // Text runs know no markup, unlike text blocks.
      const block = (run: string, isFirst: boolean) => ({
        type: 'RichTextBlock',
        inlines: [{ type: 'TextRun', text: run, ...(isFirst && { weight: 'Bolder' }) }],
      });
      const content = {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body: [title, ...lines].map((line, index) => block(line, index === 0)),
      };
      const card = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content };
      return { url, body: JSON.stringify({ type: 'message', attachments: [card] }) };
    }
    case 'ntfy': {
      // As JSON to the server itself, which takes any characters; headers would not.
      const slash = url.lastIndexOf('/');
      const topic = decodeURIComponent(url.slice(slash + 1));
      const priority = severity === 'critical' ? 5 : severity === 'warning' ? 4 : 3;
      return {
        url: url.slice(0, slash + 1),
        body: JSON.stringify({ topic, title: 'Sallyport', message: text, priority }),
      };
    }
  }
}

const slackEntities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Most messages that a mail has, and milliseconds between two mails to an address. */
export const mailMessagesMax = 64;
export const mailEveryMs = 60_000;

/** Whose mail it is. */
export interface MailReason {
  readonly webhook: Nameable;
  readonly accountId: string;
  /** The address of this server, if it is known. */
  readonly server: string | null;
}

/** Returns the address that a URL names; null if it is no `mailto:`. */
export function mailAddress(url: string): string | null {
  return url.startsWith('mailto:') ? url.slice('mailto:'.length) : null;
}

/** Writes the mail with some messages in their standard form. */
export function mailOf(bodies: readonly string[], { webhook, accountId, server }: MailReason) {
  const said = bodies.map(say);
  const more = said.length > 1 ? ` (and ${said.length - 1} more)` : '';
  const sender = server === null ? 'a Sallyport server' : `the Sallyport server ${server}`;
  const footer =
    `You get this because the webhook ${called(webhook)} of an account (${accountId}) at ${sender} names your address. Whoever manages that ` +
    'account can change or delete it. If you do not know them, ask the operator of the server, who answers for the sender of this ' +
    'mail, to stop it.';
  return {
    subject: `[Sallyport] ${truncateText(said[0]?.title ?? '', 150)}${more}`,
    text: `${said.map(({ title, lines }) => [title, ...lines].join('\n  ')).join('\n\n')}\n\n-- \n${footer}\n`,
  };
}
