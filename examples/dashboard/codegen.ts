// Makes the types of this dashboard's queries from the schema: npm run generate:examples

import type { CodegenConfig } from '@graphql-codegen/cli';

const config: CodegenConfig = {
  schema: 'schema.graphql',
  documents: ['examples/dashboard/*.ts'],
  emitLegacyCommonJSImports: false,
  generates: {
    'examples/dashboard/generated/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        documentMode: 'string',
        useTypeImports: true,
        enumsAsTypes: true,
        scalars: { DateTime: 'string', Cidr: 'string', IpAddress: 'string' },
        // A scalar that this dashboard does not know stays unknown, rather than to pass as anything.
        defaultScalarType: 'unknown',
      },
    },
  },
};

export default config;
