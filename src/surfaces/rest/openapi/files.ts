// Files that need no API key, in the description.

import type { PublicFile } from '../../public-files.ts';
import { responseNameOf } from './errors.ts';
import { tagOf } from './tags.ts';
import type { RouteDescription } from './types.ts';

/** An invalid Host header, an unknown file, an internal failure, and storage or a queue that is unavailable. */
const fileErrors = [400, 404, 500, 503];

/** Describes a file that is served without an API key. */
export function describeFile(file: PublicFile): RouteDescription {
  const { path, operationId, summary, description, mediaType, parameters } = file;
  return {
    operationId,
    tags: [tagOf(path)],
    summary,
    description,
    security: [],
    parameters: [
      ...Object.entries(parameters).map(([name, text]) => ({
        name,
        in: 'path',
        required: true,
        description: text,
        schema: { type: 'string' },
      })),
      { $ref: '#/components/parameters/IfNoneMatch' },
    ],
    responses: {
      200: {
        description: 'The file.',
        headers: {
          'X-Request-Id': { $ref: '#/components/headers/RequestId' },
          ETag: {
            description: 'Tag of the content, for `If-None-Match`.',
            required: true,
            schema: { type: 'string' },
          },
        },
        content: { [mediaType.replace(/;.*/, '')]: {} },
      },
      304: { $ref: '#/components/responses/NotModified' },
      ...Object.fromEntries(
        fileErrors.map((status) => [status, { $ref: `#/components/responses/${responseNameOf(status)}` }]),
      ),
    },
  };
}
