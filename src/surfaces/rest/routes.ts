// The routes of all areas, and the files that they serve without an API key.

import { loadParts } from '../../areas/parts.ts';
import type { PublicFile } from '../public-files.ts';
import type { Route } from './route.ts';

const parts = await loadParts('routes');

/** All REST routes except streams. */
export const routes: readonly Route[] = parts.flatMap((part) => part.routes);

/** All routes that are served with an API key: also those that answer with streams of events. */
export const servedRoutes: readonly Route[] = [...routes, ...parts.flatMap(({ streams }) => streams ?? [])];

/** All files that are served without an API key. */
export const publicFiles: readonly PublicFile[] = (await loadParts('publicFiles')).flatMap((part) => part.publicFiles);
