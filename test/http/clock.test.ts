// Clocks go wrong: they are set, they jump, they run ahead. Objects created meanwhile keep their order and remain consistent.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, startTime, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const day = 86_400_000;

test('objects made while the clock jumps by days are paged through once each, newest first', async () => {
  const made: string[] = [];
  for (const days of [0, 1, -1, 2, -2, 0, 1]) {
    service.setTime(new Date(startTime.getTime() + days * day));
    for (let count = 0; count < 3; count += 1) made.push((await service.rest('POST', '/ip_policies', {})).body.id);
  }
  const paged: string[] = [];
  for (let next = '/ip_policies?limit=4'; next !== ''; ) {
    const { body } = await service.rest('GET', next);
    paged.push(...body.ip_policies.map(({ id }: { id: string }) => id));
    // Clocks jump between pages, too.
    service.setTime(new Date(startTime.getTime() - paged.length * day));
    next = body.next_page_uri === null ? '' : body.next_page_uri.replace(/^https?:\/\/[^/]+/, '');
  }
  expect(paged).toEqual(made.reverse());
  expect(new Set(paged).size).toBe(21);
});

test('a certificate made after the clock went back begins when it was created, and lasts a year', async () => {
  service.setTime(new Date(startTime.getTime() + day));
  const authority = await service.rest('POST', '/ssh_certificate_authorities', { private_key_type: 'ed25519' });
  service.setTime(new Date(startTime.getTime() - day));
  const { status, body } = await service.rest('POST', '/ssh_host_certificates', {
    ssh_certificate_authority_id: authority.body.id,
    public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEA8FP+pNKj5rD7kA8yjV4re5Sskl/+zOBFXRLVIgE/y',
    principals: ['host.example.com'],
  });
  expect({ status, ...body }).toMatchObject({
    status: 201,
    created_at: '2026-11-19T21:00:00Z',
    valid_after: '2026-11-19T21:00:00Z',
    valid_until: '2027-11-19T21:00:00Z',
  });
});
