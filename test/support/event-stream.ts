// A client of event streams that reads them literally: every message with all of its fields.

import { request as httpRequest, type IncomingMessage } from 'node:http';

/** A message of a stream, with the fields that it contains. */
export interface Message {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
  readonly retry?: string;
}

/** An open stream. */
export interface Stream {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Every message so far, including those without data; comments are left out. */
  readonly messages: Message[];
  /** The data of the messages so far that have data. */
  readonly data: () => unknown[];
  /** The whole text so far, for answers that are not streams. */
  readonly text: () => string;
  /** Waits for a number of messages with data. Rejects if the stream ends before. */
  wait(count: number): Promise<unknown[]>;
  /** Resolves when the stream has ended: `end` if the server has ended it properly, `cut` otherwise. */
  readonly ended: Promise<'end' | 'cut'>;
  /** Closes the connection abruptly. */
  cut(): void;
  pause(): void;
  resume(): void;
}

/** Opens a stream, with an API key unless that is null. Rejects if there is no answer. */
export function openStream(
  url: string,
  token: string | null,
  { headers = {}, body, method }: { headers?: Record<string, string>; body?: object; method?: string } = {},
): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      url,
      {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        agent: false,
        headers: {
          ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
          'Service-Version': '2',
          Accept: 'text/event-stream',
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
      },
      (response) => resolve(read(response, () => request.destroy())),
    );
    request.on('error', reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Opens a GraphQL subscription. */
export function subscribe(url: string, token: string, query: string, variables: object = {}): Promise<Stream> {
  return openStream(`${url}/graphql`, token, { body: { query, variables } });
}

function read(response: IncomingMessage, cut: () => void): Stream {
  const messages: Message[] = [];
  let text = '';
  let rest = '';
  let wake = () => {};
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    text += chunk;
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = block
        .split('\n')
        .filter((line) => !line.startsWith(':'))
        .map((line) => /^(\w+):? ?(.*)$/.exec(line)?.slice(1) ?? [line, '?']);
      if (fields.length > 0) messages.push(Object.fromEntries(fields));
    }
    wake();
  });
  const ended = new Promise<'end' | 'cut'>((resolve) => {
    response.on('error', () => {});
    response.on('close', () => {
      resolve(response.complete ? 'end' : 'cut');
      wake();
    });
  });
  const data = () => messages.flatMap((message) => (message.data ? [JSON.parse(message.data)] : []));
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    messages,
    data,
    text: () => text,
    async wait(count) {
      while (data().length < count) {
        if (response.closed) throw new Error(`The stream ended after ${data().length} of ${count} messages: ${text}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return data();
    },
    ended,
    cut,
    pause: () => void response.pause(),
    resume: () => void response.resume(),
  };
}

/**
 * Follows the changes over REST, cutting the connection again and again, until `count` events have arrived. Returns them in order
 * of arrival.
 */
export async function followWithCuts<T extends { id: string }>(
  urls: readonly string[],
  token: string,
  { after, count, random }: { after: string; count: number; random: () => number },
): Promise<T[]> {
  const events: T[] = [];
  for (let turn = 0; events.length < count; turn++) {
    const lastId = events.at(-1)?.id ?? after;
    const stream = await openStream(`${urls[turn % urls.length]}/events`, token, {
      headers: { 'Last-Event-ID': lastId },
    });
    if (stream.status !== 200) throw new Error(`The stream was refused: ${stream.status}`);
    const wanted = Math.min(1 + Math.floor(random() * 12), count - events.length);
    await stream.wait(wanted);
    stream.cut();
    // Events that have arrived by now count; those on the way do not. The caller's type says what an event looks like.
    events.push(...(stream.data() as T[]));
  }
  return events;
}
