// Checks, before anything is measured, that all servers give the same answers, byte for byte where possible.

import { request as send } from 'node:http';
import type { Call } from './load.ts';
import { graphqlCall, restCall, restHeaders } from './scenarios.ts';
import type { Server } from './servers.ts';
import type { Template } from './template.ts';

/** An answer. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Sends one request on a connection of its own. Unlike `fetch` it sends any Host header. */
export function ask(server: Pick<Server, 'url'>, { method, path, headers, body }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = send(`${server.url}${path}`, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const { statusCode: status = 0, headers: answered } = response;
        resolve({ status, headers: answered, body: Buffer.concat(chunks).toString('utf8') });
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

/**
 * Checks that opponents answer as Sallyport does: the same bytes to reads; the same except for id and time to creations and
 * changes; and the same status and code for errors.
 *
 * @throws Error with the two answers that differ
 */
export async function checkSameWork(
  sallyport: Server,
  opponents: readonly Server[],
  template: Template,
): Promise<void> {
  const [id = ''] = template.ids;
  const headers = restHeaders(template.token, true);
  const bodyOf = (body: object) => ({ headers, body: JSON.stringify(body) });
  const missing = `/ip_policies/${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;
  const { Authorization: _, ...anonymous } = headers;
  const { 'Service-Version': __, ...versionless } = headers;
  const calls: Call[] = [
    restCall('GET one', template, 0),
    restCall('LIST 100', template, 0),
    { method: 'GET', path: `/ip_policies?limit=7&before_id=${template.ids[9]}`, headers },
    { method: 'GET', path: `/ip_policies?limit=7&before_id=${template.ids[7]}`, headers },
    restCall('PATCH', template, 0),
    restCall('PATCH', template, 0),
    { method: 'GET', path: `/ip_policies/${id}`, headers },
    restCall('POST create', template, 0),
    { method: 'POST', path: '/ip_policies', ...bodyOf({}) },
    { method: 'GET', path: `/ip_policies/${id}`, headers: anonymous },
    { method: 'GET', path: `/ip_policies/${id}`, headers: { ...headers, Authorization: 'Bearer nobody' } },
    { method: 'GET', path: `/ip_policies/${id}`, headers: versionless },
    { method: 'GET', path: missing, headers },
    { method: 'PATCH', path: missing, ...bodyOf({ description: 'x' }) },
    { method: 'GET', path: '/ip_policies?limit=101', headers },
    { method: 'POST', path: '/ip_policies', ...bodyOf({ description: 'x'.repeat(256) }) },
    { method: 'POST', path: '/ip_policies', ...bodyOf({ metadata: 'x'.repeat(4097) }) },
    { method: 'POST', path: '/ip_policies', ...bodyOf({ description: 7 }) },
    { method: 'POST', path: '/ip_policies', ...bodyOf({ nonsense: 'x' }) },
    { method: 'PATCH', path: `/ip_policies/${id}`, headers, body: '{' },
  ];
  for (const call of calls) {
    const expected = comparable(call, await ask(sallyport, call));
    for (const opponent of opponents) {
      const given = comparable(call, await ask(opponent, call));
      if (given !== expected) {
        throw new Error(`Not the same answer to ${call.method} ${call.path}:\n${expected}\n${given} (${opponent.url})`);
      }
    }
  }
  await checkSurfacesAgree(sallyport, template);
}

/** Checks that the GraphQL requests return the same policies as the REST requests. */
async function checkSurfacesAgree(sallyport: Server, template: Template): Promise<void> {
  for (const kind of ['GET one', 'LIST 100'] as const) {
    const asRest = await ask(sallyport, restCall(kind, template, 0));
    const asGraphQL = await ask(sallyport, graphqlCall(kind, template, 0));
    const idsOf = ({ body }: Answer) => body.match(/ipp_[0-9a-z]{26}/g)?.join();
    const isWhole = asGraphQL.status === 200 && !asGraphQL.body.includes('"errors"');
    if (!isWhole || idsOf(asRest) !== idsOf(asGraphQL)) {
      throw new Error(`The surfaces do not give the same to ${kind}:\n${asRest.body}\n${asGraphQL.body}`);
    }
  }
}

/** Returns an answer without what differs between any two answers. */
function comparable({ method }: Call, { status, headers, body }: Answer): string {
  if (status >= 400) return `${status} ${/"error_code":"\w+"/.exec(body)?.[0]}`;
  const { date: _date, 'x-request-id': requestId, ...others } = headers;
  const shownHeaders = Object.entries(others).map(([name, value]) => `${name}: ${value}\n`);
  const isNew = method === 'POST';
  const shownBody = isNew ? body.replace(/ipp_[0-9a-z]{26}/g, 'ipp_').replace(/\d{4}-[\d-]+T[\d:]+Z/, 'now') : body;
  return `${status} ${/^op_[0-9a-z]{26}$/.test(String(requestId))}\n${shownHeaders.join('')}\n${shownBody}`;
}
