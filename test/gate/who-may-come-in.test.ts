// Runs the calls and the documents of docs/who-may-come-in.md.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { dataOf } from '../support/answers.ts';
import { ofOneServer, startService, type TestService } from '../support/service.ts';
import { read } from '../support/source-files.ts';
import { allowing, ask, makeEdge, makeRoute } from './support.ts';

const blocks = [...read('docs/who-may-come-in.md').matchAll(/^```(\w*)\n(.*?)^```/gms)].map(
  ([, language, text = '']) => ({
    language,
    text,
  }),
);
const textsIn = (wanted: string) => blocks.flatMap(({ language, text }) => (language === wanted ? [text] : []));

let service: TestService;
let edge: string;
let policy: string;
let run: (call: string | undefined) => Promise<Record<string, unknown>>;
beforeAll(async () => {
  service = ofOneServer(await startService());
  edge = await makeEdge(service);
  const route = await makeRoute(service, edge, '/app', {});
  ({ policy } = await allowing(service, '198.51.100.0/24'));
  const tls = (await service.rest('POST', '/edges/tls', { hostports: ['db.example.com:443'] })).body.id;
  const ids = { EDGE_ID: edge, ROUTE_ID: route, POLICY_ID: policy, TLS_EDGE_ID: tls };
  run = async (call = '') => {
    const env = { ...process.env, URL: service.url, API_KEY: service.token, ...ids };
    return JSON.parse((await promisify(execFile)('bash', ['-c', call], { env })).stdout);
  };
});

const statusFrom = async (address: string) => (await ask(service.url, 'auth-request', edge, { address })).status;

test('the calls do what the page says', async () => {
  const [office, officeOrLogin, tlsEdge] = textsIn('bash');
  expect(await run(office)).toMatchObject({ mode: 'require', ip_policies: [{ id: policy }] });
  expect([await statusFrom('198.51.100.7'), await statusFrom('203.0.113.7')]).toEqual([401, 403]);
  expect(await run(officeOrLogin)).toMatchObject({ mode: 'suffice' });
  const passing = await ask(service.url, 'auth-request', edge, { address: '198.51.100.7' });
  expect([passing.status, passing.head.filter((line) => /^Remote-User: ./.test(line))]).toEqual([200, []]);
  expect(await statusFrom('203.0.113.7')).toBe(401);
  expect(await run(tlsEdge)).toMatchObject({ enabled: true, ip_policies: [{ id: policy }] });

  const [gate = '', change = ''] = textsIn('graphql');
  const asked = { edge, url: 'https://app.example.com/app', address: '198.51.100.7' };
  const { allowed, steps } = dataOf(await service.graphql(gate, asked)).evaluateGate;
  expect([allowed, steps.at(-1).check]).toEqual([true, 'ip_restriction']);
  const effect = { newlyRefused: [], newlyAllowed: [{ text: '203.0.113.0/24' }] };
  expect(dataOf(await service.graphql(change, { policy, cidr: '203.0.113.0/24' })).evaluateIpPolicyChange).toEqual({
    restrictions: [],
    httpsEdgeRoutes: [{ httpsEdgeRoute: { match: '/app' }, ...effect }],
    tlsEdges: [{ tlsEdge: { hostports: ['db.example.com:443'] }, ...effect }],
  });
});
