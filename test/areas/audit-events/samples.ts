// Audit event samples for the tests that run over all areas.

import { execute } from '../../support/database.ts';
import { running } from '../../support/running.ts';
import type { AreaSamples } from '../../support/samples.ts';

/** Gives each account a checkpoint before its first. The server makes its own beside the requests, which takes an hour. */
const checkpoints = `INSERT INTO "AuditCheckpoint"
    ("id", "accountId", "number", "size", "digest", "head", "signature", "publicKey", "createdAt")
  SELECT 'ackp_' || substr(a."id", 6), a."id", 0, 3, '5feceb66', '6b86b273', 'c2lnbmF0dXJl', '-----BEGIN PUBLIC KEY-----',
    '2026-11-20T21:00:00.000+00:00' FROM "Account" a WHERE true ON CONFLICT DO NOTHING`;

export const samples: AreaSamples = {
  routes: ['GET /audit_events', 'GET /audit_events/{id}', 'GET /audit_checkpoints', 'GET /audit_checkpoints/{id}'],
  bodies: {},
  collections: [],
  madeByOthers: {
    '/audit_events': async (client) => (await client.rest('GET', '/audit_events?limit=1')).body.audit_events[0].id,
    '/audit_checkpoints': async (client) => {
      for (const { database } of running) await execute(database, checkpoints);
      const { body } = await client.rest('GET', '/audit_checkpoints?limit=1');
      // A server in a process of its own has none yet.
      return body.audit_checkpoints[0]?.id ?? `ackp_${'0'.repeat(26)}`;
    },
  },
};
