import { parse } from 'graphql';
import { expect, test } from 'vitest';
import { estimateCost } from '../../src/load/cost.ts';

test('a document is estimated once, whatever the values of variables that its cost does not depend on', () => {
  const document = parse(`mutation ($id: ID!, $version: Int, $policies: [ID!]) {
    updateIpRestriction(input: { id: $id, expectedVersion: $version, ipPolicyIds: $policies }) { ipRestriction { id } }
  }`);
  const estimates = Array.from({ length: 100 }, (_, version) =>
    estimateCost(document, null, { id: `ipr_${version}`, version, policies: [`ipp_${version}`] }),
  );
  // The same object, because the estimate was cached.
  expect(new Set(estimates).size).toBe(1);
});

test('variables that the cost depends on count, also in fragments and within an input', () => {
  const document = parse(`
    mutation ($type: SshKeyType, $first: Int, $withList: Boolean!) {
      createSshCertificateAuthority(input: { privateKeyType: $type }) { sshCertificateAuthority { ...Authority } }
    }
    fragment Authority on SshCertificateAuthority {
      id
      hostCertificates(first: $first) @include(if: $withList) { nodes { id } }
    }`);
  const costOf = (type: string, first: number) => estimateCost(document, null, { type, first, withList: true }).cost;
  const [cheapest, longer, dearer] = [costOf('ed25519', 10), costOf('ed25519', 20), costOf('rsa', 10)];
  expect([costOf('ed25519', 10), costOf('ed25519', 20), costOf('rsa', 10)]).toEqual([cheapest, longer, dearer]);
  expect(longer).toBeGreaterThan(cheapest);
  expect(dearer - cheapest).toBe(24_500);
});
