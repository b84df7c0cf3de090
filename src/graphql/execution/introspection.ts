// The cost of introspection fields. They belong to GraphQL.js, so their cost cannot be declared on them.

import {
  type GraphQLOutputType,
  type GraphQLSchema,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isWrappingType,
} from 'graphql';
import { schema } from '../schema.ts';

/** Returns how many values an introspection field has on average; undefined for a field with a single value. */
export function introspectionMultiplier(typeName: string, fieldName: string): number | undefined {
  return typeName.startsWith('__') ? multipliers[`${typeName}.${fieldName}`] : undefined;
}

const multipliers = measure(schema);

/** Measures the lists of introspection. Averages are enough, because the actual answer is counted as it is resolved. */
function measure(of: GraphQLSchema): Readonly<Record<string, number>> {
  const types = Object.values(of.getTypeMap());
  const directives = of.getDirectives();
  const average = (counts: readonly number[]) =>
    counts.length === 0 ? 0 : counts.reduce((sum, count) => sum + count, 0) / counts.length;
  const withFields = types.filter((type) => isObjectType(type) || isInterfaceType(type));
  const fields = withFields.flatMap((type) => Object.values(type.getFields()));
  const wrappersOfFields = average(fields.map(({ type }) => wrappersAround(type)));
  return {
    '__Schema.types': types.length,
    '__Schema.directives': directives.length,
    '__Directive.args': average(directives.map(({ args }) => args.length)),
    '__Directive.locations': average(directives.map(({ locations }) => locations.length)),
    '__Type.fields': average(withFields.map((type) => Object.keys(type.getFields()).length)),
    '__Type.interfaces': average(withFields.map((type) => type.getInterfaces().length)),
    '__Type.possibleTypes': average(types.filter(isAbstractType).map((type) => of.getPossibleTypes(type).length)),
    '__Type.enumValues': average(types.filter(isEnumType).map((type) => type.getValues().length)),
    '__Type.inputFields': average(types.filter(isInputObjectType).map((type) => Object.keys(type.getFields()).length)),
    '__Field.args': average(fields.map(({ args }) => args.length)),
    // The share of types that wrap another type. Tools ask for nine levels, but only one or two exist.
    '__Type.ofType': wrappersOfFields / (wrappersOfFields + 1),
  };
}

function wrappersAround(type: GraphQLOutputType): number {
  return isWrappingType(type) ? 1 + wrappersAround(type.ofType) : 0;
}
