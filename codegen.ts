// Generates schema.graphql and the typed documents of the REST routes. Both are checked in; a test compares them with
// their sources.
import type { CodegenConfig } from '@graphql-codegen/cli';

/** The types of our scalars. Codegen rejects a scalar that is not listed. UInt32 and JSON have the types of parsed JSON. */
const scalars = {
  DateTime: 'string',
  Cidr: 'string',
  IpAddress: 'string',
  ID: 'string',
  UInt32: 'number',
  UrlPath: 'string',
  JSON: 'unknown',
};

const config: CodegenConfig = {
  schema: './src/graphql/schema.ts',
  documents: 'src/areas/*/operations.graphql',
  emitLegacyCommonJSImports: false,
  generates: {
    'schema.graphql': {
      plugins: ['schema-ast'],
      config: { sort: true, includeDirectives: true },
    },
    'src/graphql/types.generated.ts': {
      plugins: ['typescript'],
      config: { enumsAsTypes: true, onlyOperationTypes: true, disableDescriptions: true, strictScalars: true, scalars },
    },
    'src/': {
      preset: 'near-operation-file',
      presetConfig: { extension: '.generated.ts', baseTypesPath: 'graphql/types.generated.ts' },
      plugins: ['typescript-operations', 'typed-document-node'],
      config: {
        useTypeImports: true,
        enumsAsTypes: true,
        skipTypename: true,
        strictScalars: true,
        scalars,
      },
    },
  },
};

export default config;
