// Two servers on one database, for tests of order among several servers.

import { afterAll, beforeAll, expect } from 'vitest';
import { startBeside, startService, type TestService } from './service.ts';

/** Two servers on one database. */
export interface TwoServers {
  readonly one: TestService;
  readonly other: TestService;
  /** Returns the servers alternately. */
  turn(index: number): TestService;
  /** Creates an object over REST, at the first server unless told otherwise, and returns its id. */
  create(path: string, body: object, server?: TestService): Promise<string>;
}

/** Starts two servers for all tests of the file, and closes them at the end. */
export function twoServers(): TwoServers {
  let one: TestService;
  let other: TestService;
  beforeAll(async () => {
    one = await startService();
    other = await startBeside(one);
  });
  afterAll(async () => {
    expect(one.failures).toEqual([]);
    expect(other.failures).toEqual([]);
    await other.close();
    await one.close();
  });
  return {
    get one() {
      return one;
    },
    get other() {
      return other;
    },
    turn: (index) => (index % 2 === 0 ? one : other),
    async create(path, body, server = one) {
      const answer = await server.rest('POST', path, body);
      expect(answer.status).toBe(201);
      return answer.body.id;
    },
  };
}
