// The resources for Kubernetes, which this project does not run: they ask the gate as the configurations do that are run.

import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { read } from '../support/source-files.ts';

const blocks = [...read('docs/kubernetes.md').matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, block = '']) => block);
const resources = blocks.flatMap((block) => parseAllDocuments(block)).map((document) => document.toJS());

/** Returns the specification of a resource. */
function specOf(kind: string, name: string) {
  const found = resources.find((resource) => resource.kind === kind && resource.metadata.name === name);
  return z.looseObject({}).parse(found?.spec);
}

const exact = z.object({ patterns: z.array(z.object({ exact: z.string() })) });
const names = (list: unknown) => exact.parse(list).patterns.map((pattern) => pattern.exact);

/** Finds the value of a key, wherever it is. */
function valueAt(tree: unknown, key: string): unknown {
  if (typeof tree !== 'object' || tree === null) return undefined;
  const entries = Object.entries(tree);
  const own = entries.find(([name]) => name === key);
  if (own !== undefined) return own[1];
  for (const [, part] of entries) {
    const found = valueAt(part, key);
    if (found !== undefined) return found;
  }
  return undefined;
}

test('every block is YAML, and every resource has a kind, a version and a name', () => {
  expect(blocks.flatMap((block) => parseAllDocuments(block).flatMap(({ errors }) => errors))).toEqual([]);
  expect(resources.map(({ apiVersion, kind, metadata }) => `${apiVersion} ${kind} ${metadata.name}`)).toEqual([
    'traefik.io/v1alpha1 Middleware drop-identity',
    'traefik.io/v1alpha1 Middleware gate',
    'traefik.io/v1alpha1 IngressRoute app',
    'gateway.networking.k8s.io/v1 HTTPRoute app',
    'gateway.envoyproxy.io/v1alpha1 SecurityPolicy gate',
    'gateway.envoyproxy.io/v1alpha1 ClientTrafficPolicy gate',
    'gateway.networking.k8s.io/v1beta1 ReferenceGrant gate',
  ]);
});

test('Traefik drops and takes the headers that its configuration drops and takes, and asks the same address', () => {
  const file = parse(read('deploy/traefik/gate.yaml'));
  const own = specOf('Middleware', 'gate');
  expect(valueAt(specOf('Middleware', 'drop-identity'), 'customRequestHeaders')).toEqual(
    valueAt(file, 'customRequestHeaders'),
  );
  expect(valueAt(own, 'authResponseHeaders')).toEqual(valueAt(file, 'authResponseHeaders'));
  const path = (tree: unknown) => new URL(String(valueAt(tree, 'address'))).pathname;
  expect(path(own)).toBe(path(valueAt(file, 'forwardAuth')));
  const [route] = z.array(z.looseObject({ middlewares: z.unknown() })).parse(specOf('IngressRoute', 'app').routes);
  // The identity that a client claims goes before that of the gate comes.
  expect(route?.middlewares).toEqual([{ name: 'drop-identity' }, { name: 'gate' }]);
});

test('Envoy Gateway sends and takes the headers that the configuration of Envoy does, and closes when it is not answered', () => {
  const file = parse(read('deploy/envoy/gate.yaml'));
  const own = specOf('SecurityPolicy', 'gate');
  const sorted = (list: unknown) => z.array(z.string()).parse(list).sort();
  expect(sorted(valueAt(own, 'headersToExtAuth'))).toEqual(names(valueAt(file, 'allowed_headers')).sort());
  expect(sorted(valueAt(own, 'headersToBackend'))).toEqual(names(valueAt(file, 'allowed_upstream_headers')).sort());
  const mutations = z.array(z.object({ remove: z.string() })).parse(valueAt(file, 'mutations'));
  const early = valueAt(specOf('ClientTrafficPolicy', 'gate'), 'earlyRequestHeaders');
  expect(sorted(valueAt(early, 'remove'))).toEqual(mutations.map(({ remove }) => remove).sort());
  expect([valueAt(own, 'path'), valueAt(own, 'failOpen')]).toEqual([valueAt(file, 'path_prefix'), false]);
});
