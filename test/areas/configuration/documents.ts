// Plans, applies and exports documents for the tests of the configuration.

import { expect } from 'vitest';
import { dataOf, errorOf } from '../../support/answers.ts';
import type { Client } from '../../support/service.ts';

export const planQuery = `query ($input: PlanConfigurationInput!) {
  planConfiguration(input: $input) { digest requests changes asks left access refusals }
}`;
export const applyMutation = `mutation ($input: ApplyConfigurationInput!) {
  applyConfiguration(input: $input) { applied { requestId shownOnce plan { changes left digest } } }
}`;
export const importMutation = `mutation ($input: ImportConfigurationInput!) {
  importConfiguration(input: $input) { imported { requestId objects plan { changes } } }
}`;
export const exportQuery = '{ exportConfiguration { document missing } }';

type Asking = Pick<Client, 'graphql'>;

/** Plans a document. */
export async function plan(client: Asking, document: unknown, options: object = {}) {
  return dataOf(await client.graphql(planQuery, { input: { document, ...options } })).planConfiguration;
}

/** Applies a document. */
export async function apply(client: Asking, document: unknown, options: object = {}) {
  return dataOf(await client.graphql(applyMutation, { input: { document, ...options } })).applyConfiguration.applied;
}

/** Imports a document. */
export async function imported(client: Asking, document: unknown) {
  return dataOf(await client.graphql(importMutation, { input: { document } })).importConfiguration.imported;
}

/** Exports the account. */
export async function exported(client: Asking) {
  return dataOf(await client.graphql(exportQuery)).exportConfiguration;
}

/** Returns with which error a document is not planned; applying it fails with the same. */
export async function refusalOf(client: Asking, document: unknown, options: object = {}) {
  const error = errorOf(await client.graphql(planQuery, { input: { document, ...options } }));
  const ofApply = errorOf(await client.graphql(applyMutation, { input: { document, ...options } }));
  expect(withoutRequest(ofApply)).toEqual(withoutRequest(error));
  return withoutRequest(error);
}

/** Returns with which error a document is not applied. */
export async function applyRefusalOf(client: Asking, document: unknown, options: object = {}) {
  return withoutRequest(errorOf(await client.graphql(applyMutation, { input: { document, ...options } })));
}

/** Leaves out what differs from request to request. */
export function withoutRequest(error: ReturnType<typeof errorOf>) {
  return { code: error?.code, field: error?.field, message: error?.message };
}

/** What a plan does, in short: `create IpPolicy office`. */
export function shortly({ changes }: { changes: readonly { action: string; kind: string; name: string }[] }) {
  return changes.map(({ action, kind, name }) => `${action} ${kind} ${name}`);
}
