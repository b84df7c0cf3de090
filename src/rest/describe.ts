// The description of the whole REST surface: its routes and what is published beside them.

import { schema } from '../graphql/schema.ts';
import { publishedFiles } from '../http/published.ts';
import { describeRoutes, type Examples, type OpenApiDocument } from './openapi.ts';
import { recordedExamples } from './openapi-examples.generated.ts';
import { readOperations } from './operation.ts';
import { routes } from './routes.ts';

/**
 * Describes the REST surface.
 *
 * @param versionHeader the recommended name of the version header
 * @throws Error when a document does not fit the schema or its route
 */
export function describeRestSurface(versionHeader: string, examples: Examples = recordedExamples): OpenApiDocument {
  return describeRoutes(readOperations(routes, schema), schema, { files: publishedFiles, examples, versionHeader });
}
