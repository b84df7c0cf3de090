// Creates edges, routes and rules for the tests of the gate, and sends questions as proxies do.

import { exchange } from '../support/raw-socket.ts';
import type { Client } from '../support/service.ts';

export const idpMetadata =
  '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example.com"/>';

/** Creates an edge and returns its id. */
export async function makeEdge(client: Client, hostports: string[] = ['app.example.com:443']): Promise<string> {
  return (await client.rest('POST', '/edges/https', { hostports })).body.id;
}

/** Adds a route to an edge, with a SAML module if settings for it are given. */
export async function makeRoute(client: Client, edge: string, match: string, saml?: object): Promise<string> {
  const route = { match_type: 'path_prefix', match };
  const { id } = (await client.rest('POST', `/edges/https/${edge}/routes`, route)).body;
  if (saml !== undefined) await setSaml(client, edge, id, saml);
  return id;
}

/** Sets the SAML module of a route. */
export async function setSaml(client: Client, edge: string, route: string, saml: object): Promise<void> {
  await client.rest('PUT', `/edges/https/${edge}/routes/${route}/saml`, { idp_metadata: idpMetadata, ...saml });
}

/** Creates a policy that allows a range. */
export async function allowing(client: Client, cidr: string) {
  const { id: policy } = (await client.rest('POST', '/ip_policies', {})).body;
  const { id: rule } = (await client.rest('POST', '/ip_policy_rules', { ip_policy_id: policy, cidr, action: 'allow' }))
    .body;
  return { policy, rule };
}

/** Creates a policy that allows a range, and a restriction of endpoints to that policy. */
export async function restrictTo(client: Client, cidr: string, enforced: boolean) {
  const { policy, rule } = await allowing(client, cidr);
  const body = { type: 'endpoints', ip_policy_ids: [policy], enforced };
  const { id: restriction } = (await client.rest('POST', '/ip_restrictions', body)).body;
  return { policy, rule, restriction };
}

/** An answer of the gate. */
export interface GateAnswer {
  readonly status: number;
  /** The status line and headers, without headers about the connection. */
  readonly head: readonly string[];
  readonly body: string;
}

/** Sends a request byte for byte and reads the answer. */
export async function send(url: string, request: string, headers: readonly string[], body = ''): Promise<GateAnswer> {
  const lines = [request, 'Connection: close', ...headers, '', body];
  const answer = await exchange(url, lines.join('\r\n'));
  const [head = '', ...rest] = answer.split('\r\n\r\n');
  const [status = '', ...fields] = head.split('\r\n');
  return {
    status: Number(status.split(' ')[1]),
    head: fields.filter((line) => !/^(Date|Connection):/.test(line)),
    body: rest.join('\r\n\r\n'),
  };
}

/** The request that a question is about. */
export interface Asked {
  readonly method?: string;
  readonly url?: string;
  readonly address?: string;
  readonly headers?: readonly string[];
}

const defaultUrl = 'https://app.example.com/app';

/** The ways of asking. Each function writes a question as its kind of proxy does. */
export const ways = {
  'auth-request': (edge: string, { method = 'GET', url = defaultUrl, address = '203.0.113.7' }: Asked) => ({
    request: `GET /gate/auth-request/${edge} HTTP/1.1`,
    headers: ['Host: gate', `X-Original-URL: ${url}`, `X-Original-Method: ${method}`, `X-Forwarded-For: ${address}`],
  }),
  'forward-auth': (edge: string, { method = 'GET', url = defaultUrl, address = '203.0.113.7' }: Asked) => {
    const [, scheme, host, target] = /^(\w*):\/\/([^/]*)(.*)$/.exec(url) ?? [];
    const own = [`X-Forwarded-Proto: ${scheme}`, `X-Forwarded-Host: ${host}`, `X-Forwarded-Uri: ${target}`];
    return {
      request: `GET /gate/forward-auth/${edge}? HTTP/1.1`,
      headers: ['Host: gate', `X-Forwarded-Method: ${method}`, ...own, `X-Forwarded-For: ${address}`],
    };
  },
  'ext-authz': (edge: string, { method = 'GET', url = defaultUrl, address = '203.0.113.7' }: Asked) => {
    const [, scheme, host, target] = /^(\w*):\/\/([^/]*)(.*)$/.exec(url) ?? [];
    return {
      request: `${method} /gate/ext-authz/${edge}${target} HTTP/1.1`,
      headers: [`Host: ${host}`, `X-Forwarded-Proto: ${scheme}`, `X-Forwarded-For: ${address}`],
    };
  },
};

export type WayOfAsking = keyof typeof ways;
export const allWays = ['auth-request', 'forward-auth', 'ext-authz'] as const satisfies WayOfAsking[];

/** Asks the gate and returns its answer. */
export function ask(url: string, way: WayOfAsking, edge: string, asked: Asked = {}): Promise<GateAnswer> {
  const { request, headers } = ways[way](edge, asked);
  return send(url, request, [...headers, ...(asked.headers ?? [])]);
}
