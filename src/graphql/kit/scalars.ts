// Scalars. They check the kind of a value; the domain checks its meaning, so that a wrong value gets the same error code and
// message wherever it stands in a document. `extensions.jsonSchema` is the JSON form of a scalar in the OpenAPI description.

import { GraphQLError, Kind, type ValueNode, valueFromASTUntyped } from 'graphql';
import { isKeptNumber } from '../../domain/values/json-text.ts';
import { formatTimestamp } from '../../domain/values/time.ts';
import { builder } from './builder.ts';

builder.scalarType('DateTime', {
  description: 'Time in RFC 3339 format, in UTC with a precision of one second: `2026-11-20T21:00:00Z`.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
  serialize: formatTimestamp,
  parseValue: text('DateTime'),
  extensions: { jsonSchema: { type: 'string', format: 'date-time' } },
});

builder.scalarType('Cidr', {
  description: 'Range of IPv4 or IPv6 addresses in CIDR notation, starting at its lowest address: `10.0.0.0/8`.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc4632',
  parseValue: text('Cidr'),
  extensions: { jsonSchema: { type: 'string' } },
});

builder.scalarType('IpAddress', {
  description: 'IPv4 or IPv6 address: `192.0.2.1`, `2001:db8::1`.',
  parseValue: text('IpAddress'),
  extensions: { jsonSchema: { type: 'string' } },
});

builder.scalarType('UrlPath', {
  description: 'Path of a URL without query and fragment: `/app`.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3986#section-3.3',
  parseValue: text('UrlPath'),
  extensions: { jsonSchema: { type: 'string' } },
});

const uint32Max = 0xffff_ffff;

builder.scalarType('UInt32', {
  description: `Whole number from 0 to ${uint32Max}.`,
  serialize: Number,
  parseValue: readUInt32,
  // Only integer literals are numbers. Any other literal becomes undefined, which is refused like any wrong value.
  parseLiteral: (node) => readUInt32(node.kind === Kind.INT ? Number(node.value) : undefined),
  extensions: { jsonSchema: { type: 'integer', format: 'int64', minimum: 0, maximum: uint32Max } },
});

builder.scalarType('JSON', {
  description: 'Any JSON value, stored and returned as it was sent.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  parseValue: (value) => value,
  parseLiteral: (node, variables) => {
    checkNumbers(node);
    return valueFromASTUntyped(node, variables);
  },
  // Without null, which means "no value", as everywhere in the schema.
  extensions: {
    jsonSchema: { type: ['object', 'array', 'string', 'number', 'boolean'], additionalProperties: true, items: {} },
  },
});

/** Refuses numbers in a literal that would be rounded, as `json-text.ts` does for numbers in bodies. */
function checkNumbers(node: ValueNode): void {
  if (node.kind === Kind.LIST) for (const item of node.values) checkNumbers(item);
  if (node.kind === Kind.OBJECT) for (const field of node.fields) checkNumbers(field.value);
  if ((node.kind === Kind.INT || node.kind === Kind.FLOAT) && !isKeptNumber(node.value)) {
    throw new GraphQLError('JSON must not hold a number that a double cannot keep exactly. Send it as text.', {
      nodes: node,
    });
  }
}

function readUInt32(value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > uint32Max) {
    throw new GraphQLError(`UInt32 must be a whole number from 0 to ${uint32Max}.`);
  }
  return value;
}

function text(scalar: string): (value: unknown) => string {
  return (value) => {
    if (typeof value !== 'string') throw new GraphQLError(`${scalar} must be a string.`);
    return value;
  };
}
