// Alerts for people: mail through a real server, and the forms that chats take.

import { SMTPServer } from 'smtp-server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { mailOf, shaped } from '../../../src/areas/webhooks/formats.ts';
import { createOutgoing } from '../../../src/outgoing/outgoing.ts';
import { ownService } from '../../support/service.ts';

/** Starts a mail server; answers the recipients of the function's choice with its error. */
async function startMailServer(refused: () => Error | null = () => null) {
  const mails: { readonly to: string[]; readonly text: string }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: (_address, _session, callback) => callback(refused()),
    onData(stream, { envelope }, callback) {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        const to = envelope.rcptTo.map(({ address }) => address);
        mails.push({ to, text: Buffer.concat(pieces).toString().replace(/=\r\n/g, '') });
        callback();
      });
    },
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const address = server.server.address();
  return { mails, port: typeof address === 'object' ? address?.port : null };
}

const mailing = (port: unknown) =>
  createOutgoing({
    outgoingNetworks: [],
    outgoingDns: [],
    smtpUrl: `smtp://127.0.0.1:${port}`,
    smtpFrom: 'Sallyport <sallyport@example.com>',
    baseUrl: 'https://sallyport.example.com',
  });

const waitFor = (check: () => unknown) => vi.waitFor(check, { timeout: 30_000, interval: 20 });
const later = (time: string) => new Date(`2026-11-20T${time}Z`);

test('what begins and ends to need attention is mailed once each, at most a mail a minute, and a digest a day', async () => {
  const { mails, port } = await startMailServer();
  const service = await ownService({ outgoing: mailing(port) });
  const { body: hook } = await service.rest('POST', '/webhooks', { url: 'mailto:ops@example.com' });
  expect(hook).toMatchObject({ events: ['attention.*'], format: 'standard' });
  const key =
    'mutation { createApiKey(input: { description: "CI\\r\\nBcc: x@example.com", expiresAt: "2026-11-25T21:00:00Z" }) { apiKey { id } } }';
  const { id } = (await service.graphql(key)).data.createApiKey.apiKey;
  await service.storage.upkeep();
  await waitFor(() => expect(mails).toHaveLength(1));
  const [begun] = mails;
  expect(begun?.to).toEqual(['ops@example.com']);
  // The time of the day at which what is due is told has passed: both are in one mail.
  expect(begun?.text).toMatch(/^Subject: \[Sallyport\] .* \(and 1 more\)$/m);
  expect(begun?.text).not.toMatch(/^Bcc:/m);
  expect(begun?.text).toContain('Needs attention (warning): The API key "CI Bcc: x@example.com" expires');
  expect(begun?.text).toContain('Due within a week: 1');
  expect(begun?.text).toContain(`the webhook without description (${hook.id}) of an account (acct_`);
  expect(begun?.text).toContain('https://sallyport.example.com names your address');
  service.setTime(later('21:00:30'));
  await service.rest('DELETE', `/api_keys/${id}`);
  await service.storage.upkeep();
  service.setTime(later('21:01:30'));
  await service.storage.upkeep();
  await waitFor(() => expect(mails).toHaveLength(2));
  expect(mails[1]?.text).toContain('No longer needs attention: The API key');
});

test('an address that the mail server refuses is told with the code alone, and is tried again', async () => {
  let refusal: Error | null = Object.assign(new Error('no such mailbox at 10.0.0.7'), { responseCode: 550 });
  const { mails, port } = await startMailServer(() => refusal);
  const service = await ownService({ outgoing: mailing(port) });
  await service.storage.upkeep();
  const { body: hook } = await service.rest('POST', '/webhooks', { url: 'mailto:ops@example.com' });
  await service.graphql('mutation ($id: ID!) { pingWebhook(input: { id: $id }) { webhook { id } } }', { id: hook.id });
  const deliveries = async () => (await service.rest('GET', `/webhooks/${hook.id}/deliveries`)).body.deliveries;
  await waitFor(async () =>
    expect(await deliveries()).toEqual([
      expect.objectContaining({
        state: 'waiting',
        attempts: 1,
        status: 550,
        answer: '',
        failure: 'The mail server answered with 550.',
      }),
    ]),
  );
  refusal = null;
  service.setTime(later('21:02:00'));
  await waitFor(() => expect(mails).toHaveLength(1));
  await waitFor(async () =>
    expect(await deliveries()).toEqual([expect.objectContaining({ state: 'delivered', status: 250 })]),
  );
});

test('addresses that are none, several, or more than an address are refused, and all where no mail is sent', async () => {
  const refusalsOf = async (outgoing: ReturnType<typeof createOutgoing>, urls: readonly string[]) => {
    const service = await ownService({ outgoing });
    const messages: string[] = [];
    for (const url of urls) messages.push((await service.rest('POST', '/webhooks', { url })).body.msg);
    return messages;
  };
  const bad = [
    'mailto:',
    'mailto:a',
    'mailto:a@b.example,c@d.example',
    'mailto:a@b.example?bcc=x',
    'mailto:a@b.example\r\nBcc: x',
  ];
  for (const message of await refusalsOf(mailing(9), bad)) expect(message).toMatch(/must be one address after|must/);
  const none = createOutgoing({ outgoingNetworks: [], outgoingDns: [] });
  expect(await refusalsOf(none, ['mailto:a@b.example'])).toEqual([
    expect.stringContaining('sends no mail until its operator'),
  ]);
});

const event = JSON.stringify({
  type: 'ip_policy.update',
  data: {
    object_id: 'ipp_1',
    actor: 'ak_1',
    actor_description: 'CI',
    state: { description: '<!channel> & [x](http://y)\nz' },
  },
});
const said = 'Ip policy "<!channel> & [x](http://y) z" (ipp_1) was changed by CI';

test('each chat gets its form, in which descriptions are only text', () => {
  const url = 'https://chat.example/hook/a';
  expect(shaped('standard', url, event)).toEqual({ url, body: event });
  expect(JSON.parse(shaped('slack', url, event).body)).toEqual({
    text: 'Ip policy "&lt;!channel&gt; &amp; [x](http://y) z" (ipp_1) was changed by CI',
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
  });
  const [{ contentType, content }] = JSON.parse(shaped('teams', url, event).body).attachments;
  expect(contentType).toBe('application/vnd.microsoft.card.adaptive');
  expect(content.body).toEqual([
    { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: said, weight: 'Bolder' }] },
  ]);
  const critical = JSON.stringify({ type: 'attention.begin', data: { severity: 'critical', message: 'It fails.' } });
  expect(shaped('ntfy', 'https://ntfy.example/alerts%20a', critical)).toEqual({
    url: 'https://ntfy.example/',
    body: JSON.stringify({
      topic: 'alerts a',
      title: 'Sallyport',
      message: 'Needs attention (critical): It fails.',
      priority: 5,
    }),
  });
});

test('a mail has one line for its subject, however much it tells', () => {
  const { subject } = mailOf(Array(64).fill(event), {
    webhook: { id: 'whk_1', description: '' },
    accountId: 'acct_1',
    server: null,
  });
  expect(subject).toBe(`[Sallyport] ${said} (and 63 more)`);
});
