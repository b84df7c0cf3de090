// The metadata of an identity provider at its address, and several servers on one database: one of them reads it, and all use it.

import { expect, onTestFinished, test } from 'vitest';
import { parseRange } from '../../src/domain/ip/cidr.ts';
import { createOutgoing } from '../../src/outgoing/outgoing.ts';
import { idpMetadata, makeIdpKey } from '../support/identity-provider.ts';
import { Browser, idpKey, leave, makePlace, post, respond } from '../support/login.ts';
import { serveMetadata } from '../support/metadata-server.ts';
import { startBeside, startService, startTime } from '../support/service.ts';
import { times } from '../support/times.ts';

test('one of several servers reads it, early or when it is due, and a new certificate counts at all of them', async () => {
  const server = await serveMetadata();
  onTestFinished(() => server.close());
  const outgoing = createOutgoing({ outgoingNetworks: [parseRange('networks', '127.0.0.0/8')], outgoingDns: [] });
  const one = await startService({ outgoing });
  const other = await startBeside(one, undefined, { outgoing });
  const place = await makePlace(one, { idp_metadata_url: server.url });
  const keys = [makeIdpKey(), makeIdpKey()];
  const arrive = async (service: typeof one, key = idpKey, now = startTime) => {
    const { requestId } = await leave(new Browser(service), place);
    return (await post(service, place, respond(place, requestId, {}, now, key))).status;
  };
  server.say(idpMetadata(keys.slice(0, 1)));
  const both = await Promise.all(times(6).map((index) => arrive(index % 2 === 0 ? one : other, keys[0])));
  // Who comes to the other server while the first one reads has to log in again.
  expect(both.filter((status) => status === 303).length).toBeGreaterThanOrEqual(3);
  expect([await arrive(one, keys[0]), await arrive(other, keys[0]), server.asked()]).toEqual([303, 303, 1]);

  server.say(idpMetadata(keys));
  const due = new Date(startTime.getTime() + 3_600_000);
  for (const service of [one, other]) service.setTime(due);
  await Promise.all([one.storage.upkeep(), other.storage.upkeep()]);
  expect([await arrive(one, keys[1], due), await arrive(other, keys[1], due), server.asked()]).toEqual([303, 303, 2]);
  expect([...one.failures, ...other.failures]).toEqual([]);
  await other.close();
  await one.close();
});
