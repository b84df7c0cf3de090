// Follows the changes of an account over server-sent events, and goes on where it was when the connection is lost. Built-in
// `EventSource` cannot send an API key, and this is all that it would do.

import type { components } from '../rest/generated/api.js';

/** A change, as the description of the API says it. */
export type Change = components['schemas']['AuditEvent'];

/** The server, and where to go on. */
export interface FollowOptions {
  readonly url: string;
  readonly apiKey: string;
  /** Id of the last change that was dealt with, or the last one that `moved` was told; undefined to begin now. */
  readonly lastId?: string | undefined;
  /**
   * Told an id to go on after later, where no change brings one: at the start, and from time to time while nothing comes that is
   * followed. An older one may be gone by the next start.
   */
  readonly moved?: (id: string) => void;
}

/** Milliseconds to wait before the next try, unless the server says otherwise. */
const usualRetryMs = 2_000;
/** Milliseconds without a sign of life after which a connection counts as lost: the server gives one every 15 seconds. */
const silentMsMax = 45_000;

/**
 * Gives each change once, in order. Who asks for the next one has dealt with those before.
 *
 * @throws Error when the server refuses: then it is not enough to try again
 */
export async function* follow({ url, apiKey, lastId, moved }: FollowOptions): AsyncGenerator<Change> {
  let place = lastId;
  let retryMs = usualRetryMs;
  for (;;) {
    try {
      for await (const { id, event, data, retry } of messages(url, apiKey, place)) {
        // For good: the next try is told why.
        if (event === 'end') break;
        if (retry !== undefined) retryMs = Number(retry);
        if (data !== undefined)
          yield JSON.parse(data) as Change; // what the description says of a message
        // A message without data only moves the place.
        else if (id !== undefined) moved?.(id);
        // Not before it was dealt with.
        place = id ?? place;
      }
    } catch (error) {
      if (error instanceof Refused) throw error;
      process.stderr.write(`The connection is lost: ${String(error)}\n`);
    }
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}

/** The server has answered, and will say the same again. */
class Refused extends Error {}

type Message = Partial<Record<string, string>>;

async function* messages(url: string, apiKey: string, lastId: string | undefined): AsyncGenerator<Message> {
  const connection = new AbortController();
  let silence = setTimeout(() => {}, 0);
  const heard = () => {
    clearTimeout(silence);
    silence = setTimeout(() => connection.abort(new Error('silence')), silentMsMax);
  };
  try {
    heard();
    const response = await fetch(`${url}/events`, {
      signal: connection.signal,
      headers: {
        Authorization: `Bearer ${apiKey}`,
        'Service-Version': '2',
        Accept: 'text/event-stream',
        ...(lastId === undefined ? {} : { 'Last-Event-ID': lastId }),
      },
    });
    if (response.status >= 500 || response.status === 429) throw new Error(`status ${response.status}`);
    if (response.status !== 200 || response.body === null) {
      // The body of every error.
      const { error_code, msg } = (await response.json()) as components['schemas']['Error'];
      throw new Refused(`${error_code}: ${msg}`);
    }
    let text = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      heard();
      const blocks = (text + chunk).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const lines = block.split('\n').filter((line) => !line.startsWith(':'));
        yield Object.fromEntries(lines.map((line) => line.split(/: (.*)/s, 2)));
      }
    }
  } finally {
    clearTimeout(silence);
    connection.abort();
  }
}
