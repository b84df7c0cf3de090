import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

describe('POST /ip_policies', () => {
  test('answers with every field of the new policy', async () => {
    const { status, body } = await service.rest('POST', '/ip_policies', { description: 'office', metadata: '{"a":1}' });
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        id: 'x',
      },
    });
  });
});
