// Generates the types of each GraphQL document next to it, from the checked-in schema, as any other dashboard would.

import { join } from 'node:path';
import type { CodegenConfig } from '@graphql-codegen/cli';

const here = import.meta.dirname;
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
  schema: join(here, '..', 'schema.graphql'),
  documents: join(here, 'src/**/*.graphql'),
  emitLegacyCommonJSImports: false,
  generates: {
    [join(here, 'src/client/types.generated.ts')]: {
      plugins: ['typescript'],
      config: { enumsAsTypes: true, onlyOperationTypes: true, disableDescriptions: true, strictScalars: true, scalars },
    },
    [`${join(here, 'src')}/`]: {
      preset: 'near-operation-file',
      presetConfig: { extension: '.generated.ts', baseTypesPath: 'client/types.generated.ts' },
      plugins: ['typescript-operations', 'typed-document-node'],
      config: { useTypeImports: true, enumsAsTypes: true, strictScalars: true, scalars },
    },
  },
};

export default config;
