// The parameters of a GraphQL request that come in a URL (GraphQL over HTTP, "GET"), read as strictly as those in a body.

import { SallyportError } from '../../domain/errors.ts';
import { readJson } from '../../domain/values/json-text.ts';
import { queryTextOf } from '../../pipeline/request.ts';

/**
 * Reads the parameters of a GraphQL request from its URL. The GraphQL engine checks them as it checks those in a body.
 *
 * @throws BAD_REQUEST for a parameter that is given twice or is not JSON, and as `readJson`; messages do not repeat what was sent
 */
export function readGraphQLParameters(url: string): object {
  const given = new URLSearchParams(queryTextOf(url));
  const parameters = new Map<string, unknown>();
  for (const name of ['query', 'operationName', 'variables', 'extensions']) {
    const [text, another] = given.getAll(name);
    if (another !== undefined) throw badRequest(`The parameter "${name}" must not be given twice.`);
    // An empty parameter counts as not given.
    if (text) parameters.set(name, name === 'query' || name === 'operationName' ? text : readJsonParameter(name, text));
  }
  return Object.fromEntries(parameters);
}

function readJsonParameter(name: string, text: string): unknown {
  try {
    return readJson(`The parameter "${name}"`, text);
  } catch (error) {
    // There is no body that could be malformed.
    if (error instanceof SallyportError && error.code === 'MALFORMED_BODY') throw badRequest(error.message);
    throw error;
  }
}

function badRequest(message: string): SallyportError {
  return new SallyportError('BAD_REQUEST', message);
}
