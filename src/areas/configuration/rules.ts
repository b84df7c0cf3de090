// The rules of documents of the configuration.

import { invalid, SallyportError } from '../../domain/errors.ts';
import { type Kind, kindOfId, kinds } from '../../domain/values/ids.ts';

/** Most objects that a document describes, with the rules of its policies: as many as are stored together. */
export const documentObjectsMax = 10_000;

/**
 * Returns a function that counts the objects of a document, and throws QUERY_TOO_COMPLEX once there are more than it can have.
 *
 * @param besides what is counted as well, but is no object
 */
export function countingObjects(besides = 0): (more: number) => void {
  let objects = 0;
  return (more) => {
    objects += more;
    if (objects <= documentObjectsMax + besides) return;
    throw new SallyportError(
      'QUERY_TOO_COMPLEX',
      `The document describes more than ${documentObjectsMax} objects, the most that are stored together. Divide it into several documents, each with a name of its own.`,
    );
  };
}

/** Returns the error for a plan or an application that takes longer than it may, in milliseconds. */
export function tookTooLong(msMax: number): SallyportError {
  return new SallyportError(
    'UNAVAILABLE',
    `The configuration takes more than ${msMax / 1_000} seconds. Nothing was changed. Retry later, or divide the document into several, each with a name of its own.`,
  );
}

/** Returns why documents do not describe a kind; null if its area does not say so. */
export function whyNotConfigured(kind: Kind): string | null {
  const declared = kinds[kind];
  return 'notConfigured' in declared && typeof declared.notConfigured === 'string' ? declared.notConfigured : null;
}

/** The name of a document that says none. */
export const documentNameDefault = 'main';

/** Longest name of a document or an object, in characters. */
export const nameCharactersMax = 64;

/** What the name of a document or an object looks like. */
export const nameForm = /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/;

/** Checks a name in a document. Throws INVALID_INPUT. */
export function checkName(field: string, name: string): void {
  if (name.length > nameCharactersMax || !nameForm.test(name)) {
    throw invalid(
      field,
      `must be named by at most ${nameCharactersMax} lower-case letters, digits, ".", "_" and "-", with a letter or digit at both ends.`,
    );
  }
  if (kindOfId(name) !== null) throw invalid(field, 'must not be named like an ID.');
}

/** Makes a name of text, such as a description; empty if nothing of it can be part of a name. */
export function nameFrom(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .slice(0, nameCharactersMax - 8)
    .replace(/^[._-]+|[._-]+$/g, '');
}
