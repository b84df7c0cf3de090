// The description of the whole REST surface: its routes and what is published beside them.

import { schema } from './graphql/schema.ts';
import { publishedFiles } from './published.ts';
import { describeRoutes, type Examples, type OpenApiDocument } from './rest/openapi.ts';
import { recordedExamples } from './rest/openapi-examples.generated.ts';
import { readOperations } from './rest/operation.ts';
import { routes } from './rest/routes.ts';

/**
 * Describes the REST surface.
 *
 * @param versionHeader the recommended name of the version header
 * @throws Error when a document does not fit the schema or its route
 */
export function describeRestSurface(versionHeader: string, examples: Examples = recordedExamples): OpenApiDocument {
  return describeRoutes(readOperations(routes, schema), schema, { files: publishedFiles, examples, versionHeader });
}
