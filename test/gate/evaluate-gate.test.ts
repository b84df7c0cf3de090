// `evaluateGate`: shows the person who configures the gate what it would decide.

import { beforeAll, describe, expect, test } from 'vitest';
import { ofOneServer, startService, type TestService } from '../support/service.ts';
import { ask, makeEdge, makeRoute, restrictTo } from './support.ts';

let service: TestService;
let edge: string;
let staff: string;
beforeAll(async () => {
  service = ofOneServer(await startService());
  edge = await makeEdge(service);
  await makeRoute(service, edge, '/');
  staff = await makeRoute(service, edge, '/staff', { authorized_groups: ['staff'], options_passthrough: true });
});

const document = `query ($edge: ID!, $url: String!, $method: String! = "GET", $address: IpAddress!, $groups: [String!]) {
  evaluateGate(edge: $edge, url: $url, method: $method, address: $address, groups: $groups) {
    allowed route { id match } steps { check effect message }
  }
}`;
const evaluate = async (variables: object, as = service) => {
  const given = { edge, url: 'https://app.example.com/staff', address: '203.0.113.7', ...variables };
  return as.graphql(document, given);
};
/** Returns the decision and the last step. */
const outcome = async (variables: object) => {
  const { allowed, steps } = (await evaluate(variables)).data.evaluateGate;
  return [allowed, steps.at(-1).check, steps.at(-1).effect];
};

test('tells each step', async () => {
  expect(await evaluate({})).toEqual({
    status: 200,
    errors: undefined,
    data: {
      evaluateGate: {
        allowed: false,
        route: { id: staff, match: '/staff' },
        steps: [
          { check: 'host', effect: 'pass', message: 'The edge serves app.example.com:443.' },
          { check: 'path', effect: 'pass', message: 'The path is unambiguous.' },
          { check: 'route', effect: 'pass', message: 'The path_prefix /staff matches.' },
          { check: 'address', effect: 'pass', message: 'No IP restriction refuses the address.' },
          { check: 'login', effect: 'refuse', message: 'The route requires a login, and there is no session.' },
        ],
      },
    },
  });
});

test.each([
  [{ groups: ['staff'] }, [true, 'groups', 'pass']],
  [{ groups: ['others'] }, [false, 'groups', 'refuse']],
  [{ groups: [] }, [false, 'groups', 'refuse']],
  [{ groups: null }, [false, 'login', 'refuse']],
  [{ method: 'OPTIONS' }, [true, 'login', 'pass']],
  [{ method: 'GET /' }, [false, 'request', 'refuse']],
  [{ url: 'https://app.example.com/' }, [true, 'login', 'pass']],
  [{ url: 'https://app.example.com/staff/../' }, [false, 'path', 'refuse']],
  [{ url: 'https://other.example.com/' }, [false, 'host', 'refuse']],
  [{ url: 'app.example.com' }, [false, 'request', 'refuse']],
])('%j: %j', async (variables, expected) => {
  expect(await outcome(variables)).toEqual(expected);
});

test('says what the gate does', async () => {
  const { restriction } = await restrictTo(service, '198.51.100.0/24', true);
  for (const address of ['203.0.113.7', '198.51.100.7', '::ffff:198.51.100.7', '2001:db8::1']) {
    for (const path of ['/', '/staff', '/a//b', '/%2e%2e/x']) {
      const url = `https://app.example.com${path}`;
      const { allowed, steps } = (await evaluate({ url, address })).data.evaluateGate;
      const { status } = await ask(service.url, 'auth-request', edge, { url, address });
      const refused = steps.at(-1).check === 'login' ? 401 : 403;
      expect([address, path, status]).toEqual([address, path, allowed ? 200 : refused]);
    }
  }
  await service.rest('DELETE', `/ip_restrictions/${restriction}`);
});

describe('refuses', () => {
  test('an edge of another account as one that does not exist', async () => {
    const stranger = ofOneServer({ ...service, ...(await service.otherAccount('stranger')) });
    const errorsOf = async (variables: object) => (await evaluate(variables, stranger)).errors;
    const unknown = await errorsOf({ edge: 'edghts_01h455vb4pex5vsknk084sn02q' });
    expect(unknown?.map(({ extensions }) => extensions.code)).toEqual(['NOT_FOUND']);
    expect(await errorsOf({})).toEqual(unknown);
    expect(await errorsOf({ edge: 'nonsense' })).toEqual(unknown);
  });

  test('an address that is none', async () => {
    const { errors } = await evaluate({ address: 'nowhere' });
    expect(errors?.map(({ extensions }) => extensions)).toEqual([{ code: 'INVALID_INPUT', field: 'address' }]);
  });

  test('more groups than anybody has', async () => {
    const { errors } = await evaluate({ groups: Array(1_001).fill('x') });
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['INVALID_INPUT']);
  });
});
