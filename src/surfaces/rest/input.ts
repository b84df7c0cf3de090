// Converts the parts of a REST request to the variables of its document. Strict where a mistake could pass silently, tolerant of
// harmless habits of existing clients. Knows neither Express nor the areas.

import {
  GraphQLBoolean,
  GraphQLID,
  type GraphQLInputType,
  GraphQLInt,
  getNullableType,
  isInputObjectType,
  isListType,
} from 'graphql';
import { invalid, SallyportError } from '../../domain/errors.ts';
import { readEntityTags } from '../../domain/values/entity-tags.ts';
import { snakeCase } from '../../domain/values/snake-case.ts';
import {
  checkLengths,
  checkValue,
  createHolds,
  expectation,
  type Variable,
} from '../../graphql/execution/variables.ts';
import { forceHeader } from '../../pipeline/request.ts';
import { forceField, ifMatchField } from './document.ts';
import type { InputField, PreparedRoute } from './prepared-route.ts';
import { hasBody } from './route.ts';

/** The parts of a request that fill the variables. */
export interface Input {
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The parsed body; undefined if there is none. */
  readonly body: object | undefined;
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly force: string | undefined;
}

type Variables = Record<string, unknown>;

/**
 * Reads the variables of the document of a route: several sets of them where `If-Match` names several versions. The first one counts
 * whose version the object has.
 *
 * @throws INVALID_INPUT for a missing value or a value of the wrong type, UNKNOWN_FIELD and READ_ONLY_FIELD for fields that the
 *   route does not accept. Field names in the errors are the REST names.
 */
export function readVariables(prepared: PreparedRoute, input: Input): [Variables, ...Variables[]] {
  const { method } = prepared.route;
  const variables: Variables = { ...input.path };
  const versions = input.ifMatch === undefined ? null : readIfMatch(prepared, input.ifMatch);
  if (prepared.changes && input.ifNoneMatch !== undefined) {
    throw invalid(
      'If-None-Match',
      'is not accepted with a change. Send the version that it is based on as `If-Match`.',
    );
  }
  // Ignored on routes that cannot lock anyone out, so that a client may send the header with every request.
  if (prepared.takesForce && input.force !== undefined) variables[forceField] = readForce(input.force);
  Object.assign(variables, readQuery(prepared, input.query));
  if (hasBody(method)) Object.assign(variables, readBody(prepared, input));
  for (const field of prepared.inputFields.values()) checkField(field, variables[field.name]);
  if (versions === null) return [variables];
  const [first, ...others] = versions.map((version) => ({ ...variables, [ifMatchField]: version }));
  return first === undefined ? [{ ...variables, [ifMatchField]: versionOfNothing }] : [first, ...others];
}

/** No object has it, so that a condition which names no version of ours fails. */
const versionOfNothing = 0;
/** Most versions in one condition: each is tried. */
const versionsMax = 10;

/** Reads the versions from an `If-Match` header, in the form of our `ETag` headers; null for `*`. */
function readIfMatch({ route, takesIfMatch }: PreparedRoute, header: string): number[] | null {
  // An ignored condition is worse than none: the client would believe that it held.
  if (!takesIfMatch) {
    throw invalid(
      'If-Match',
      `is not accepted on ${route.method} ${route.path}. Send it with a PATCH, PUT or DELETE of one object.`,
    );
  }
  if (header.trim() === '*') return null;
  const tags = readEntityTags(header);
  if (tags === null) throw invalid('If-Match', 'must have ETags from earlier answers, such as "1".');
  const versions = [...new Set(tags.filter((tag) => /^[1-9]\d{0,8}$/.test(tag)).map(Number))];
  if (versions.length > versionsMax) throw invalid('If-Match', `must have at most ${versionsMax} ETags.`);
  return versions;
}

function readForce(header: string): boolean {
  const text = header.trim();
  if (text !== 'true' && text !== 'false') throw invalid(forceHeader, 'must be "true" or "false".');
  return text === 'true';
}

function readQuery({ route, inputFields }: PreparedRoute, query: URLSearchParams): Variables {
  const variables: Variables = {};
  if (query.size === 0) return variables;
  const accepted = hasBody(route.method) ? new Map<string, InputField>() : inputFields;
  for (const [givenName, text] of query) {
    // One client of the family writes `beforeId` for `before_id`.
    const field = accepted.get(givenName) ?? accepted.get(snakeCase(givenName));
    if (field === undefined) throw unknownField(givenName, 'query parameter', [...accepted.keys()]);
    if (isListType(getNullableType(field.type))) {
      variables[field.name] = [variables[field.name] ?? [], text].flat();
      continue;
    }
    if (field.name in variables) throw invalid(field.name, 'must not be given twice.');
    variables[field.name] = readText(field, text);
  }
  return variables;
}

/** Converts query text to a value of the declared type. Text in the wrong form stays text, and is refused later. */
function readText({ type }: InputField, text: string): unknown {
  const named = getNullableType(type);
  if (named === GraphQLInt && /^-?\d{1,10}$/.test(text)) return Number(text);
  if (named === GraphQLBoolean && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function readBody(prepared: PreparedRoute, { body = {}, path }: Input): Variables {
  const variables: Variables = {};
  for (const [name, value] of Object.entries(unwrapModule(prepared, body))) {
    const field = prepared.inputFields.get(name);
    if (field !== undefined) {
      const spelled = spellingsOf(prepared, name).get(value) ?? value;
      if (!field.isNotGiven(value)) variables[name] = readModule(field, spelled);
    } else if (prepared.pathFields.includes(name)) {
      if (value !== path[name]) throw invalid(name, 'must equal the one in the path or be omitted.');
    } else if (value !== null) {
      throw notAccepted(prepared, name);
    }
  }
  return variables;
}

/** Returns what other spellings of the values of a field mean. */
function spellingsOf({ route }: PreparedRoute, name: string): ReadonlyMap<unknown, string> {
  return new Map(Object.entries(route.spellings?.[name] ?? {}));
}

/**
 * Reads a module inside a body: an object whose fields have other names in GraphQL, or a list of them. Any other value is returned as it is.
 *
 * @param module what errors call it
 */
function readModule(input: InputField, given: unknown, module = input.name): unknown {
  const { moduleFields } = input;
  if (moduleFields === null || typeof given !== 'object' || given === null) return given;
  if (Array.isArray(given)) return given.map((item, index) => readModule(input, item, `${module}[${index}]`));
  // An object where a list belongs is refused later.
  if (module === input.name && isListType(getNullableType(input.type))) return given;
  const values: Variables = {};
  for (const [name, value] of Object.entries(given)) {
    const field = moduleFields.get(name);
    if (field === undefined && value !== null) throw unknownField(name, 'field', [...moduleFields.keys()], module);
    if (field !== undefined && !field.isNotGiven(value)) values[field.graphqlName] = value;
  }
  for (const [name, field] of moduleFields)
    checkField({ ...field, name: `${module}.${name}` }, values[field.graphqlName]);
  return values;
}

/** Unwraps the module of a PUT: one client of the family wraps it, and puts the ids of the path beside it. */
function unwrapModule({ route, pathFields, inputFields }: PreparedRoute, body: object): object {
  if (route.method !== 'PUT' || !('module' in body) || inputFields.has('module')) return body;
  const { module, ...rest } = body;
  if (typeof module !== 'object' || module === null || Array.isArray(module)) return body;
  return Object.keys(rest).every((name) => pathFields.includes(name)) ? { ...module, ...rest } : body;
}

function notAccepted(prepared: PreparedRoute, name: string): SallyportError {
  const { inputFields, createOnlyFields, moduleRoutes, answerFields } = prepared;
  const moduleRoute = moduleRoutes.get(name);
  if (moduleRoute !== undefined) {
    return new SallyportError('READ_ONLY_FIELD', `has its own route: ${moduleRoute}. Leave it out.`, {
      field: name,
    });
  }
  if (createOnlyFields.has(name)) {
    return new SallyportError('READ_ONLY_FIELD', 'can be set only on create. Leave it out, or create a new object.', {
      field: name,
    });
  }
  if (answerFields.has(name)) {
    return new SallyportError('READ_ONLY_FIELD', 'is set by the server. Leave it out.', { field: name });
  }
  return unknownField(name, 'field', [...inputFields.keys()]);
}

function unknownField(name: string, what: string, accepted: string[], module?: string): SallyportError {
  // An unknown name may be anything, even a secret pasted into the wrong field.
  const shown = /^[\w.-]{1,64}$/.test(name) ? name : '(unreadable name)';
  const hint = accepted.length === 0 ? 'It accepts none.' : `Accepted: ${accepted.join(', ')}.`;
  const whole = module === undefined ? 'route' : 'module';
  const field = module === undefined ? shown : `${module}.${shown}`;
  return new SallyportError('UNKNOWN_FIELD', `is not a ${what} of this ${whole}. ${hint}`, { field });
}

function checkField(field: Variable, value: unknown): void {
  checkLengths(field, value);
  requireJsonKinds(field.name, field.type, value);
  checkValue(field, value);
}

const holdsJsonKinds = createHolds((type) => isListType(type) || type === GraphQLID);

/** Refuses values that GraphQL coerces but that are mistakes in JSON: a single value for a list, and a number for an id. */
function requireJsonKinds(field: string, type: GraphQLInputType, value: unknown): void {
  if (value == null || !holdsJsonKinds(type)) return;
  const expected = getNullableType(type);
  if (isListType(expected)) {
    if (!Array.isArray(value)) throw invalid(field, `${expectation(type)}.`);
    for (const [index, item] of value.entries()) requireJsonKinds(`${field}[${index}]`, expected.ofType, item);
  } else if (expected === GraphQLID && typeof value === 'number') {
    throw invalid(field, `${expectation(type)}.`);
  } else if (isInputObjectType(expected) && typeof value === 'object') {
    const given = new Map<string, unknown>(Object.entries(value));
    for (const inner of Object.values(expected.getFields())) {
      requireJsonKinds(`${field}.${inner.name}`, inner.type, given.get(inner.name));
    }
  }
}
