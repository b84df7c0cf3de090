// A browser at the dashboard: it keeps its session cookie, and sends the header that the page sends.

import { expect } from 'vitest';
import type { GraphQLAnswer, RestAnswer, TestService } from './service.ts';

/** A request to send. */
interface Sent {
  readonly method?: string;
  /** Sent as JSON, or unchanged if it is a string. */
  readonly body?: unknown;
  /** Headers in addition to those of the page; undefined removes one of those. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** A browser. */
export class DashboardBrowser {
  /** The cookie as it is sent back, `name=value`; null if there is none. */
  cookie: string | null = null;
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  /** @param headers of all of its requests, such as what a proxy adds */
  constructor({ url }: Pick<TestService, 'url'>, headers: Readonly<Record<string, string>> = {}) {
    this.#url = url;
    this.#headers = headers;
  }

  /** Headers that a dashboard page sends. */
  get headers(): Record<string, string> {
    return {
      'Sallyport-Dashboard': '1',
      ...(this.cookie === null ? {} : { Cookie: this.cookie }),
      ...this.#headers,
    };
  }

  /** Sends a request, and stores or removes the cookies that the answer sets. */
  async send(path: string, { method = 'GET', body, headers = {} }: Sent = {}): Promise<RestAnswer> {
    const own: Record<string, string | undefined> = {
      ...this.headers,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    };
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: Object.entries(own).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, value]],
      ),
      redirect: 'manual',
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const pair = line.split(';')[0] ?? '';
      if (!line.includes('Max-Age=0')) this.cookie = pair;
      else if (this.cookie?.split('=')[0] === pair.split('=')[0]) this.cookie = null;
    }
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const shown = text === '' ? undefined : isJson ? JSON.parse(text) : text;
    return { status: response.status, headers: response.headers, body: shown };
  }

  /** Requests a session with an API key. */
  askSession(token: unknown, headers: Sent['headers'] = {}): Promise<RestAnswer> {
    return this.send('/dashboard/session', { method: 'POST', body: { token }, headers });
  }

  /** Signs in with an API key. */
  async signIn(token: string): Promise<this> {
    const { status, body } = await this.askSession(token);
    expect([status, body]).toEqual([201, { expires_at: expect.any(String), idle_seconds: expect.any(Number) }]);
    return this;
  }

  /** Sends a GraphQL request. */
  async graphql(query: string, variables: object = {}, headers: Sent['headers'] = {}): Promise<GraphQLAnswer> {
    const { status, body } = await this.send('/graphql', { method: 'POST', body: { query, variables }, headers });
    return { status, data: body.data, errors: body.errors };
  }
}
