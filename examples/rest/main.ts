// A REST client whose paths, bodies and answers are checked by the compiler: lets a range in, and warns about all others.

import createClient from 'openapi-fetch';
import { readSettings } from '../settings.ts';
import type { components, paths } from './generated/api.js';

const { url, apiKey } = readSettings();
const client = createClient<paths>({
  baseUrl: url,
  headers: { Authorization: `Bearer ${apiKey}`, 'Service-Version': '2' },
});

const [cidr = '192.0.2.0/24', description = 'Office'] = process.argv.slice(2);

const policy = dataOf(await client.POST('/ip_policies', { body: { description } }));
const rule = dataOf(
  await client.POST('/ip_policy_rules', {
    body: { ip_policy_id: policy.id, cidr, action: 'allow' },
  }),
);
const restriction = dataOf(
  await client.POST('/ip_restrictions', {
    body: { type: 'api', ip_policy_ids: [policy.id] },
  }),
);
const { ip_restrictions: restrictions } = dataOf(
  await client.GET('/ip_restrictions', { params: { query: { limit: 10 } } }),
);
process.stdout.write(
  `${rule.action} ${rule.cidr} by ${policy.description}\n` +
    `restriction of ${restriction.type}, ${restriction.enforced ? 'enforced' : 'warns only'}\n` +
    `newest of the list: ${restrictions[0]?.id === restriction.id ? 'this one' : 'another one'}\n`,
);

/** Gives the answer, or throws what the server says is wrong: the code is one of those that the route can have. */
function dataOf<Data>({ data, error }: { data?: Data; error?: components['schemas']['Error'] }): Data {
  if (data === undefined) throw new Error(`${error?.error_code}: ${error?.msg}`);
  return data;
}
