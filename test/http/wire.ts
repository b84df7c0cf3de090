// Sends requests exactly as written: no client in between normalizes paths, headers or bodies.

import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { expect } from 'vitest';
import { errorCatalogue } from '../../src/domain/error-catalogue.ts';
import { statusOf } from '../../src/domain/error-status.ts';
import type { Client } from '../support/service.ts';

/** An answer as received over the wire. */
export interface WireAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  /** The parsed JSON body; undefined if there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests compare whole bodies, or pick values that a wrong body lacks
  body: any;
}

/** A request to send. */
export interface WireRequest {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
}

/** Sends one request; `path` is the request target, byte for byte. */
export function send(url: string, path: string, options: WireRequest = {}): Promise<WireAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body } = options;
    // Otherwise Node would send the body of a GET without its length.
    const framed = body === undefined || 'transfer-encoding' in headers;
    const length = framed ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const request = httpRequest({ hostname, port, path, method, headers: { ...length, ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const isJson = /json/.test(response.headers['content-type'] ?? '') && bytes.length > 0;
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes,
          body: isJson ? JSON.parse(bytes.toString()) : undefined,
        });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** Returns the headers of every REST request, and those of a request with a JSON body. */
export function restHeaders({ token }: Pick<Client, 'token'>) {
  const headers = { authorization: `Bearer ${token}`, 'service-version': '2' };
  return { headers, jsonHeaders: { ...headers, 'content-type': 'application/json' } };
}

/**
 * Checks that an answer has the documented shape of a REST error: the four keys, only strings in `details`, a code of the catalogue
 * with its status, and the id of the request.
 */
export function expectRestError({ status, headers, body }: WireAnswer, code: string, field?: string): void {
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(body).toEqual({
    error_code: code,
    status_code: status,
    msg: expect.any(String),
    details: { operation_id: headers['x-request-id'], ...(field === undefined ? {} : { field }) },
  });
  expectKnownError(body, status);
}

/** Checks that a body is any error of the catalogue, with its status. */
export function expectKnownError(body: unknown, status: number): void {
  expect(body).toEqual({
    error_code: expect.any(String),
    status_code: status,
    msg: expect.stringMatching(/\S/),
    details: expect.objectContaining({ operation_id: expect.stringMatching(/^op_[0-7][0-9a-hjkmnp-tv-z]{25}$/) }),
  });
  // The comparison above has shown that these exist.
  const { error_code: code, details } = body as { error_code: keyof typeof statusOf; details: object };
  expect(Object.keys(errorCatalogue)).toContain(code);
  expect(statusOf[code]).toBe(status);
  expect(Object.values(details).every((value) => typeof value === 'string')).toBe(true);
}
