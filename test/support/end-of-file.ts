// At the end of each file, closes the services that it has started: none of them may have failed unnoticed.

import { afterAll, expect } from 'vitest';
import { running } from './running.ts';

afterAll(async () => {
  const services = [...running].reverse();
  for (const service of services) await service.close();
  expect(services.flatMap(({ failures }) => failures)).toEqual([]);
});
