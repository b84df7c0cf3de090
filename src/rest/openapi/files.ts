// A file without an API key in the description.

import type { PublicFile } from '../../http/public-files.ts';
import { responseNameOf } from './errors.ts';
import { tagOf } from './tags.ts';
import type { RouteDescription } from './types.ts';

/** Describes a file that is served without an API key. */
export function describeFile(file: PublicFile): RouteDescription {
  const { path, operationId, summary, description, mediaType, parameters } = file;
  return {
    operationId,
    tags: [tagOf(path)],
    summary,
    description,
    security: [],
    parameters: Object.entries(parameters).map(([name, text]) => ({
      name,
      in: 'path',
      required: true,
      description: text,
      schema: { type: 'string' },
    })),
    responses: {
      200: {
        description: 'The file.',
        headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } },
        content: { [mediaType.replace(/;.*/, '')]: {} },
      },
      404: { $ref: `#/components/responses/${responseNameOf(404)}` },
      500: { $ref: `#/components/responses/${responseNameOf(500)}` },
    },
  };
}
