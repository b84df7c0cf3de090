// Checks answers of the REST surface against its description, more strictly than clients may: an answer must have no field that the
// description lacks.

import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { statusOf } from '../../src/domain/error-status.ts';
import { isErrorCode } from '../../src/graphql/kit/public-errors.ts';
import { describeRestSurface } from '../../src/surfaces/rest/openapi/describe.ts';
import type { OpenApiDocument, RouteDescription } from '../../src/surfaces/rest/openapi/types.ts';

/** An answer, with its request. */
export interface Exchange {
  readonly method: string;
  /** Path with the query. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body; undefined if there is none. */
  readonly body: unknown;
}

const document = close(describeRestSurface('Service-Version'));
const ajv = new Ajv2020.default({ allErrors: true, strict: false });
addFormats.default(ajv);
ajv.addSchema({ $id: 'openapi', ...document });
const validators = new Map<string, ValidateFunction>();

const templates = Object.entries(document.paths).map(([path, operations]) => ({
  path,
  operations,
  // Express accepts a slash at the end, and the server extra slashes at the beginning.
  form: new RegExp(`^/+${path.slice(1).replace(/\{\w+\}/g, '[^/]+')}/?$`),
}));

/** Throws Error if an answer is not as described. */
export function checkExchange(exchange: Exchange): void {
  const { method, path, status } = exchange;
  const problems = findProblems(exchange);
  if (problems.length > 0) {
    const body = JSON.stringify(exchange.body)?.slice(0, 500);
    throw new Error(`${method} ${path} was answered with ${status} ${body}:\n  ${problems.join('\n  ')}`);
  }
}

function findProblems(exchange: Exchange): string[] {
  const { method, status, headers, body } = exchange;
  if (method === 'OPTIONS') return [];
  const [path = ''] = exchange.path.split('?');
  const found = templates.find(({ form }) => form.test(path));
  const operation = found?.operations[method === 'HEAD' ? 'get' : method.toLowerCase()];
  const isError = isErrorOfNoOperation(exchange);
  // A path that looks like that of a route may still match no route, for example because it cannot be decoded.
  if (isError && Object(body).error_code === 'UNKNOWN_ROUTE') return [];
  if (found === undefined || operation === undefined) return isError ? [] : ['the description has no such operation.'];
  const pointer = ['paths', found.path, method === 'HEAD' ? 'get' : method.toLowerCase(), 'responses', String(status)];
  const response = resolveResponse(operation, status);
  if (response === undefined) return ['the description has no such status.'];

  const problems = Object.entries(response.headers ?? {})
    .filter(([name, header]) => isRequired(header) && !headers.has(name))
    .map(([name]) => `there is no header ${name}.`);
  const [mediaType] = Object.keys(response.content ?? {});
  if (mediaType !== undefined && !headers.get('content-type')?.startsWith(mediaType)) {
    problems.push(`the content type is not ${mediaType}.`);
  }
  if (mediaType === undefined && body !== undefined) problems.push('there is a body.');
  if (mediaType === 'application/json' && method !== 'HEAD') {
    const schema = [...(response.reference ?? pointer), 'content', mediaType, 'schema'];
    problems.push(...validate(schema, body));
  }
  return problems;
}

interface ResponseObject {
  headers?: Record<string, { $ref?: string; required?: boolean }>;
  content?: Record<string, unknown>;
  /** Its path in the document, if it is a component. */
  reference?: string[];
}

function resolveResponse({ responses }: RouteDescription, status: number): ResponseObject | undefined {
  const response = responses[status];
  const name = /^#\/components\/responses\/(\w+)$/.exec(String(response?.$ref))?.[1];
  if (name === undefined) return response;
  return { ...document.components.responses?.[name], reference: ['components', 'responses', name] };
}

function isRequired(header: { $ref?: string; required?: boolean }): boolean {
  const name = /^#\/components\/headers\/(\w+)$/.exec(header.$ref ?? '')?.[1];
  return (name === undefined ? header : document.components.headers?.[name])?.required === true;
}

/**
 * Returns whether an answer is a well-formed error: the body of every error, with the status of its code. Requests that match no
 * operation must be answered with one.
 */
function isErrorOfNoOperation({ method, status, body }: Exchange): boolean {
  if (status < 400) return false;
  if (method === 'HEAD') return true;
  if (validate(['components', 'schemas', 'Error'], body).length > 0) return false;
  const { error_code: code, status_code: statusCode } = Object(body);
  return isErrorCode(code) && statusOf[code] === status && statusCode === status;
}

function validate(pointer: readonly string[], value: unknown): string[] {
  const reference = `openapi#/${pointer.map((step) => step.replace(/~/g, '~0').replace(/\//g, '~1')).join('/')}`;
  const validator = validators.get(reference) ?? ajv.compile({ $ref: encodeURI(reference) });
  validators.set(reference, validator);
  return validator(value) ? [] : (validator.errors ?? []).map((error) => ajv.errorsText([error], { dataVar: 'body' }));
}

/** Forbids further fields in all objects whose fields are known. Clients must accept fields of later versions; tests need not. */
function close(source: OpenApiDocument): OpenApiDocument {
  const closed = JSON.parse(JSON.stringify(source), (_key, value) =>
    value?.type === 'object' && value.properties !== undefined ? { additionalProperties: false, ...value } : value,
  );
  return closed;
}
