// The settings of a login by SAML, wherever an identity provider is named. Pure.

import { invalid } from '../errors.ts';
import { type NameidFormat, nameidFormats } from './namespaces.ts';

/** Checks a name identifier format. Throws INVALID_INPUT. */
export function checkNameidFormat(given: string, field = 'nameidFormat'): NameidFormat {
  const format = nameidFormats.find((known) => known === given);
  if (format === undefined) throw invalid(field, `must be one of ${nameidFormats.join(', ')}.`);
  return format;
}
