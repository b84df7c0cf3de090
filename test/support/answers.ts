// The parts of answers that tests compare, after the checks that hold for every answer of a surface.

import { expect } from 'vitest';
import type { GraphQLAnswer, RestAnswer } from './service.ts';

const requestIdForm = /^op_[0-7][0-9a-z]{25}$/;

/** Returns status, version and body of a REST success. */
export function successOf({ status, headers, body }: RestAnswer) {
  expect(headers.get('x-request-id')).toMatch(requestIdForm);
  expect(headers.get('content-type')).toBe(body === undefined ? null : 'application/json; charset=utf-8');
  return { status, etag: headers.get('etag'), body };
}

/** Returns the distinctive parts of a REST failure: its status, its code, the field to blame and the message. */
export function failureOf({ status, headers, body }: RestAnswer) {
  const requestId = headers.get('x-request-id');
  expect(requestId).toMatch(requestIdForm);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('etag')).toBeNull();
  const { error_code: code, msg, details } = body;
  const { field } = details;
  expect(body).toEqual({
    error_code: code,
    status_code: status,
    msg,
    details: { operation_id: requestId, ...(field === undefined ? {} : { field }) },
  });
  return { status, code, ...(field === undefined ? {} : { field }), msg };
}

/** Returns the failure of a REST field, whose message begins with its name. */
export function invalidField(field: string, problem: string, code = 'INVALID_INPUT') {
  return { status: 400, code, field, msg: `${field}: ${problem}` };
}

/** The failure of every REST request for an object that does not exist. */
export const notFound = { status: 404, code: 'NOT_FOUND', msg: 'No such object in this account.' };

/** Returns the data of a GraphQL success. */
export function dataOf({ status, data, errors }: GraphQLAnswer) {
  expect({ status, errors }).toEqual({ status: 200, errors: undefined });
  return data;
}

/** Returns the distinctive parts of a GraphQL failure with exactly one error. */
export function errorOf({ status, errors }: GraphQLAnswer) {
  expect({ status, count: errors?.length }).toEqual({ status: 200, count: 1 });
  return errors?.map(({ message, extensions }) => ({ message, ...extensions }))[0];
}
