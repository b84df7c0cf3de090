// What a page says about the objects around it.

import { expect, test } from 'vitest';
import { pageInfo } from '../../src/graphql/lists/page.ts';

test('beyond a cursor that the client gave there are objects, from whichever side the page is read', () => {
  const around = (args: object, backward: boolean) => {
    const { hasNextPage, hasPreviousPage } = pageInfo(args, { take: 1, backward }, [], false);
    return { hasNextPage, hasPreviousPage };
  };
  for (const backward of [false, true]) {
    expect(around({}, backward)).toEqual({ hasNextPage: false, hasPreviousPage: false });
    expect(around({ before: 'b' }, backward)).toEqual({ hasNextPage: true, hasPreviousPage: false });
    expect(around({ after: 'a' }, backward)).toEqual({ hasNextPage: false, hasPreviousPage: true });
  }
});
